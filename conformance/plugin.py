"""Pytest hooks only; everything heavy is imported inside the hook that needs it."""
