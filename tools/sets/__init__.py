"""Writes and compares frozen requirement sets. Reading one is the suite's business."""
