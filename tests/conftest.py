"""What all tests of the suite share: pytester, and nothing else."""

pytest_plugins = ["pytester"]
