"""Sheets for labelling data sets, and reading them back."""
