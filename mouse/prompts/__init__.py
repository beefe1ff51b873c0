"""The prompt templates that come with mouse, and the command that checks a folder of one's own."""
