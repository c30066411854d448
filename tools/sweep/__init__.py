"""Cuts every stream of the corpus at every frame, or at places that Hypothesis draws: too slow for a usual run."""
