"""Ways to run a policy: `onnx` in this process, `remote` on another machine."""
