"""Credentials and what else tells whose account it is: how they look, and a scan for them. No recording here."""
