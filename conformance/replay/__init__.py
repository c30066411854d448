"""Plays cassettes to an adapter, over loopback or in process. What the adapter makes of them is judged elsewhere."""

from conformance.replay.addressing import Sent
from conformance.replay.chunking import Chunking, applies, cut
from conformance.replay.delivery import Delivery, Play
from conformance.replay.in_process import InProcess
from conformance.replay.server import ReplayServer

__all__ = ["Chunking", "Delivery", "InProcess", "Play", "ReplayServer", "Sent", "applies", "cut"]
