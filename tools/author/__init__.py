"""Builds documented cassettes from scenario definitions. Recorded structure comes through `tools.published`."""
