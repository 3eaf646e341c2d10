"""KServe's inference protocol, version 2, over gRPC and HTTP: what Triton's clients speak."""
