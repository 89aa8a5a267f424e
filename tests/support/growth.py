"""Compare what small and large inputs cost, in one run, because machines differ and are noisy."""

import time
from collections.abc import Callable

ROUNDS = 5


def measure_growth(work: Callable[[int], object], small: int, large: int) -> float:
    """Return the processor time of `work(large)` divided by that of `work(small)`.

    The least of some rounds of each counts.
    """
    small_times, large_times = [], []
    for _ in range(ROUNDS):
        small_times.append(_measure(work, small))
        large_times.append(_measure(work, large))
    return min(large_times) / max(min(small_times), 1e-6)


def _measure(work: Callable[[int], object], size: int) -> float:
    start = time.process_time()
    work(size)
    return time.process_time() - start
