"""Finds the options that make the search strongest: spaces, samplers, a model of the results, validation."""
