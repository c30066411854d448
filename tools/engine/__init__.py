"""A real engine for `--server` to judge: writes a model of random weights, serves it on loopback, judges, stops."""
