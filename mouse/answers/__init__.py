"""What a model wrote → an answer with one outcome. Pure: no I/O, nothing heavy imported."""
