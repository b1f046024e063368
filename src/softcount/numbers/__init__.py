"""Arithmetic that knows no model: ragged rows, tables, shares of a total."""
