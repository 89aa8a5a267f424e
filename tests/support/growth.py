"""Compare what small and large inputs cost, in one run, because machines differ and are noisy."""

import time
import timeit
from collections.abc import Callable

ROUNDS = 5


def measure_growth(work: Callable[[int], object], small: int, large: int) -> float:
    """Return the processor time of `work(large)` divided by that of `work(small)`.

    The least of some rounds of each counts.
    """

    def measure(size: int) -> float:
        timer = timeit.Timer(lambda: work(size), timer=time.process_time)
        return min(timer.repeat(ROUNDS, 1))

    return measure(large) / max(measure(small), 1e-6)
