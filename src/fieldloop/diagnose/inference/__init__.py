"""Inference: attempts as arrays, evidence of each set of explanations, shares of the loss."""
