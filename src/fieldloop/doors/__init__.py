"""What all doors share: a use case's parameters, the written form of its result, and its stage."""
