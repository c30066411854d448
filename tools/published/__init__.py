"""Recorded provider traffic from public source distributions: pulled, read, judged, measured. None is kept here."""
