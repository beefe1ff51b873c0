"""Makes CXEIs from plain Chinese sentences by substitutions whose derivation is known."""
