"""Targets of speed, each measured as a ratio within one run. Nothing here is a test."""
