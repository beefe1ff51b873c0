"""Numbers from counts and arrays: a metric is one file; intervals, paired tests, agreement. Pure."""
