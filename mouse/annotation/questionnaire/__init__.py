"""Questionnaires by which people answer the benchmark themselves."""
