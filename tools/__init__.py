"""Tools of the corpus maintainers. Nothing that an adapter run needs."""
