"""Tables, figures and the explorer, made from stored runs; a part of a report is one file in `parts/`."""
