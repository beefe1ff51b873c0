"""Builds a data set: collected lines to cleaned items, to annotators, to votes, to reviewed CXEIs."""
