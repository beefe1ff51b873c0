"""People rate a sample of a run's translations, and the judge is measured against them.

`units` what can be rated · `sampling` which of it is · `key`, `sheets_out`, `sheets_in` the files ·
`merge`, `adjudication` raters to consensus · `estimates`, `assessment` the numbers · `record` to MLflow ·
`figures_data` the paper's figures 2 and 3.
"""
