"""Sheets for people: labelling data, rating translations, answering items."""
