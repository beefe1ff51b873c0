"""People rate a sample of a run's translations, and the judge is measured against them."""
