"""The quality review of a data set, as in the paper's Table 5."""
