"""The parts of the vLLM backend: who the model is, starting the engine, translating to and fro."""
