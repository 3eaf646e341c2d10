"""Engines: ways to run a policy; `onnx` runs it in this process."""
