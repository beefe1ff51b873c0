"""Sends requests to models and streams completions back, through Ray or in this process; keeps every answer."""
