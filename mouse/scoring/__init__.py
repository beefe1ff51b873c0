"""Pure: from completions to a result."""
