"""One file a criterion: two pure functions, init and step. `spec.py` lists them all."""
