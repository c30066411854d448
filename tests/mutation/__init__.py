"""Cassettes changed by machine, one change at a time: what a right reader ignores, and what it must report."""
