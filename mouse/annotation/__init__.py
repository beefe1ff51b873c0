"""Sheets for people: labels of new items, reviews of a data set, ratings of translations, answers.

`sheets`, `sheet_layout` one file · `folders` a folder of them with its key · `guidelines` what people are
told · `votes` several answers to one. A kind of sheet declares its columns in its `sheet` module.
"""
