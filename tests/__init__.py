"""The suite's own tests. A package only so that `python -m tests.mutants` can be run; its folders are none."""
