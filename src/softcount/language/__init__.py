"""How likely a sentence is by itself: n-grams, their probabilities, and the files that others read."""
