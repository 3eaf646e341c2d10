"""Write a bundle in the forms of other servers: ONNX, TorchServe's archive, Triton's repository, a line for trtexec."""
