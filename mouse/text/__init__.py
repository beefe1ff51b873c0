"""What text must be before it is written out: free of secrets, valid JSON, valid UTF-8."""
