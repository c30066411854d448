"""What vendors changed: told from two recordings, or from the types of their SDKs. Writes nothing."""
