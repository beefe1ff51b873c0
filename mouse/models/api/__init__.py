"""The parts of the API backend: body, transport, parse, retry, rate limits and probe."""
