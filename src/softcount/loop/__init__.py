"""The E-step over placed data, where training starts, the loop itself, and its record."""
