"""What the machine is: compiled loops, memory, signals, files that appear whole."""
