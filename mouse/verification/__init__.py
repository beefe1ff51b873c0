"""A stored run recomputed from its artifacts and compared with what was logged."""
