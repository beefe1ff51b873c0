"""Typed schemas of `conf/`, and the command line as people type it."""
