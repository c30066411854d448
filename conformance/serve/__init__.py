"""The corpus for everybody: scenarios played to any program, in the foreground or to a test. No adapter, no verdict."""

from conformance.serve.playing import delivery_of
from conformance.serve.provider import Provided, Provider

__all__ = ["Provided", "Provider", "delivery_of"]
