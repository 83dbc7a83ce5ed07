"""The players and what they are used for."""
