"""What a model learned, as one page that opens from disk: no network, no other file."""
