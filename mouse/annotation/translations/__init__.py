"""People rate a sample of a run's translations, and the judge is measured against them.

`population` what can be rated, and a sample of it · `sheet`, `adjudication` the files ·
`assessment` the numbers · `record` to MLflow · `show` to the terminal · `figures_data` the paper's
figures 2 and 3.
"""
