"""How results are shown: the message of a failing cell, the table at the end, the results file. Judges nothing."""

from conformance.report.results import Run, write_json
from conformance.report.table import lines
from conformance.report.text import explain_failure

__all__ = ["Run", "explain_failure", "lines", "write_json"]
