"""Items of the benchmark: reading, checking, building and synthesizing them; what is known of Chinese."""
