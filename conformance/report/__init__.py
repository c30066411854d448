"""How results are shown: the message of a failing cell, the table at the end, the files. Judges nothing."""

from conformance.report.page import write_html
from conformance.report.results import Run, in_order, write_json
from conformance.report.table import lines
from conformance.report.text import explain_failure

__all__ = ["Run", "explain_failure", "in_order", "lines", "write_html", "write_json"]
