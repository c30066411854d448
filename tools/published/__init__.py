"""Recorded provider traffic from public source distributions: pulled, read, judged, measured. None of it is kept here."""
