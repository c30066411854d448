"""Records cassettes from the providers: asks, scrubs, writes whole or not at all. Judges no adapter."""
