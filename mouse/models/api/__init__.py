"""The parts of the API backend: body, wire, parse, retry, limits and probe, each on its own."""
