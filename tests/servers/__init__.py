"""Tests of the servers under test: the reference engine, faulty engines, hopeless servers."""
