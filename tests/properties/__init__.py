"""What holds for any reply, not only for those of the corpus. How many are tried is the Hypothesis profile's to say."""
