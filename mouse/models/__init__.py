"""Backends, one file or folder each: what turns requests into completions."""
