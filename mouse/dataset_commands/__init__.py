"""The sub-commands of `python -m mouse.dataset` that make or check data sets, one a module."""
