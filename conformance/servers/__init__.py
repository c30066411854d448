"""Servers under test: engines and emulators that generate and match stop strings themselves. Adapters: `suite`.

There is nothing to replay: the server generates. It is judged by difference (`oracle`). A free run gives the text, stop
strings are cut out of that text (`stops`), and then the right answer is known. What is asked is defined in
`conformance.probes`; the rules are `conformance.checks.server_rules`.
"""
