"""Reads files into items: bytes → raw rows → columns and labels → items, faults with their places."""
