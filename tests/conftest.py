"""Compiled kernels are kept between runs; hypothesis has no deadline, and in CI the same examples always.

No test cuts the power, so none waits until a disk has what it was given.
"""

import os

import kernel_cache

kernel_cache.use()

from hypothesis import settings  # noqa: E402

settings.register_profile("softcount", deadline=None, max_examples=50, derandomize=bool(os.environ.get("CI")))
settings.load_profile("softcount")

os.fsync = lambda handle: None
