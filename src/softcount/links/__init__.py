"""Word links: written, read, joined from two directions, summed up as a lexicon."""
