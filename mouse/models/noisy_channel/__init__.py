"""The noisy channel that `model=lexicon` decodes: sounds, glyphs, words and the search over them."""
