"""The face that shell users know. Results go to stdout, everything else to stderr.

Exit codes: 0 done, 1 a defect of softcount itself, 2 bad input or usage, 130 interrupted.
"""
