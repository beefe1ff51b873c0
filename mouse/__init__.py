"""mouse: evaluates language models on Chinese Chouxiang language, and says how far to trust it."""

__version__ = "0.1.0"
