"""The matrix: every shipped adapter in an environment of its own, judged by the suite, side by side."""
