"""The face that scikit-learn users know: fit, predict, score."""
