"""Which runs may be compared, and the paired tests between them."""
