"""One file a model: its equation, its tables, its kernels."""
