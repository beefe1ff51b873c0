"""What is known of Chinese characters: scripts, parts, readings, and the tables of `data/lexicon`."""
