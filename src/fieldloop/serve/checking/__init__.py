"""Does a policy folder agree with itself, and with the dataset that it learnt from? Read from headers, without weights.

`check.check_policy_folder(folder, data)` answers with findings. What is not stated is left open, and fails nothing.
"""
