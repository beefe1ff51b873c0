"""Fonts and sheets for figures, and the figure of a run's own answers (drawn by `tracking`)."""
