"""Judges: who scores a translation, and how far that score can be trusted."""
