"""Choose the passages of a memory that an agent receives for its task.

Passages that are wished for every task come first: preferences and pins.  A small memory is given
whole.  Of a larger one, the lines of a person come next, up to half of the budget: those that fit
the task, then the newest.  Then a few of others that share words with the task, and more only if
the best of them is strong evidence that the memory knows something about the task.  What is left of
the budget is for the lines of a person.  If the task is unknown, as in the main session, the most
useful kinds and the most certain items come first.  What came from outside is given if it fits.
"""

from __future__ import annotations

from memory_core.selection.passages import ITEM_TOKENS, estimate_tokens
from memory_core.selection.scoring import Score, Scores
from memory_core.text.times import FAR_FUTURE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from memory_core.selection.passages import Passage, PassageIndex

# The tokens spent on passages that share any word with the task, and the least share of the best
# score that they need; the same share where more is spent.
FEW_TOKENS = 400
FEW_SHARE = 0.28
MORE_SHARE = 0.4

# The share of the budget for the lines of a person on this machine, before those of others; they
# also get what is left behind these.
OWN_SHARE = 1 / 2

# What multiplies the score of a passage whose run has a chosen passage already, of one that was
# given often and never used, of one that may be out of date, and of one from outside.
SAME_RUN = 0.7
UNUSED = 0.5
STALE = 0.5
TAINTED = 0.9

# So often an item is given, without use, before it sinks.
UNUSED_AFTER = 20

# The reasons for a choice, as `explain` shows them.
WISHED = "for every task"
WHOLE = "the memory is small"
OWN = "a person's line"
LEFT = "a person's line, room was left"
LEAD = "stands above a given line"
UNLED = "nothing below it is given"
FITS = "fits the task"
STRONG = "fits the task well"
NO_WORD = "shares too few words"
FAR = "fits much less than the best"
FULL = "no room"
ALL = "selection is off"
USEFUL = "no task known"


class Choice:
    """The decision about one passage: its score, what multiplies it, and the reason.

    Of passages with the same score, the one with the smaller `place` comes first.  It is chosen
    together with its `lead`.
    """

    __slots__ = ("factor", "is_chosen", "lead", "passage", "place", "reason", "score", "tokens")

    def __init__(self, passage: Passage, score: Score) -> None:
        self.passage = passage
        self.score = score
        self.factor = _weigh_use(passage)
        self.tokens = estimate_tokens(passage.text + passage.stale) + ITEM_TOKENS
        self.place = 0
        self.lead: Choice | None = None
        self.is_chosen = False
        self.reason = UNLED if passage.is_title else ""

    @property
    def total(self) -> float:
        return self.score.total * self.factor

    @property
    def fit(self) -> float:
        """The total, 0 if the words that it shares with the task may be chance."""
        return self.total if self.score.is_enough else 0.0

    @property
    def cost(self) -> int:
        """The tokens that it takes, 0 if it is chosen."""
        return 0 if self.is_chosen else self.tokens + (self.lead.cost if self.lead else 0)

    def take(self, reason: str) -> int:
        """Choose it with its lead; return the tokens."""
        cost = self.cost
        if self.lead and not self.lead.is_chosen:
            self.lead.take(LEAD)
        self.is_chosen, self.reason = True, reason
        return cost


# Of the lines of a person, so many of the newest are looked at for each token of the budget.
OWN_PER_TOKEN = 1 / 8


def select(index: PassageIndex, task: str, budget: int, whole_below: int = 0) -> list[Choice]:
    """Return decisions about passages, the chosen ones first, best first.

    They are about those that are wished, of a person, or share words with the task, or about all
    without a task or of a small memory.  `budget` is in tokens, and so is `whole_below`, up to
    which a memory is small.  Equal input yields equal output.
    """
    scores, has_task = Scores(index, task), bool(task.strip())
    is_small = index.tokens <= min(whole_below, budget)
    own = index.own[: int(budget * OWN_PER_TOKEN)]
    seen = {*index.wished, *own, *scores.by_number}
    is_all = is_small or not has_task
    choices = make_choices(index, range(len(index)) if is_all else sorted(seen), scores)
    room = budget - _choose(WISHED, [one for one in choices if one.passage.is_wished], budget)
    if is_small:
        inside = sorted((one for one in choices if not one.passage.is_outside), key=_rank)
        room -= _choose(WHOLE, inside, room)
    places = {number: place for place, number in enumerate(index.own)}
    lines = [choice for choice in choices if choice.passage.index in places]
    lines.sort(key=lambda one: (-one.fit, places[one.passage.index]))
    room -= _choose(OWN, lines, min(room, int(budget * OWN_SHARE)))
    rest = [one for one in choices if not (one.is_chosen or one.passage.is_title)]
    if has_task:
        room -= _choose_fitting(rest, scores.is_strong, room)
    else:
        room -= _choose(USEFUL, sorted(rest, key=_rank), room)
    _choose(LEFT, lines, room)
    return sorted(choices, key=order)


def _choose(reason: str, choices: Iterable[Choice], room: int) -> int:
    """Choose those that are not chosen yet and fit, in their order; return their tokens."""
    spent = 0
    for choice in choices:
        if not choice.is_chosen and spent + choice.cost <= room:
            spent += choice.take(reason)
        elif not choice.is_chosen:
            choice.reason = FULL
    return spent


def make_choices(index: PassageIndex, numbers: Iterable[int], scores: Scores) -> list[Choice]:
    """Return choices for passages and their leads, with their places; none is chosen yet."""
    wanted = [*numbers]
    for number in wanted:  # it grows: a lead may have one, too
        wanted += [index[number].lead] if index[number].lead >= 0 else []
    by_number = {
        number: Choice(index[number], scores.find(number)) for number in dict.fromkeys(wanted)
    }
    choices = [*by_number.values()]
    for choice in choices:
        choice.lead = by_number.get(choice.passage.lead)
    for place, choice in enumerate(sorted(choices, key=_rate, reverse=True)):
        choice.place = place
    return choices


def _rate(choice: Choice) -> tuple[float, float, str, int]:
    """Return what decides without a score: useful kinds, then certain, new, and upper ones."""
    passage = choice.passage
    certainty = passage.confidence * (TAINTED if passage.is_outside else 1)
    return passage.worth, certainty, passage.born or FAR_FUTURE, -passage.index


def order(choice: Choice) -> tuple[bool, bool, float, int]:
    """Return what sorts choices: the chosen ones first, best first."""
    if choice.passage.is_wished:
        return not choice.is_chosen, False, 0.0, choice.passage.index
    return not choice.is_chosen, True, *_rank(choice)


def _weigh_use(passage: Passage) -> float:
    factor = (STALE if passage.stale else 1.0) * (TAINTED if passage.is_outside else 1.0)
    is_unused = passage.given >= UNUSED_AFTER and not passage.used
    return factor * UNUSED if is_unused else factor


def _choose_fitting(choices: list[Choice], is_strong: bool, room: int) -> int:
    """Choose the best passages that share words with the task; return their tokens."""
    fitting = sorted((choice for choice in choices if choice.fit), key=_rank, reverse=True)
    best = fitting[-1].total if fitting else 0.0
    for choice in choices:
        choice.reason = FULL if choice.passage.is_wished else NO_WORD
    spent, runs = 0, set[str]()
    repeated: list[Choice] = []  # those of a run that has a chosen passage, best first
    while fitting or repeated:
        is_repeated = not fitting or (repeated and _rank(repeated[0]) < _rank(fitting[-1]))
        choice = repeated.pop(0) if is_repeated else fitting.pop()
        run = choice.score.run or next(iter(choice.passage.runs), "")  # the best one
        if run in runs and not is_repeated:
            choice.factor *= SAME_RUN
            repeated.append(choice)
            continue
        choice.reason, least = FITS, FEW_SHARE
        if spent + choice.cost > min(FEW_TOKENS, room):
            choice.reason, least = STRONG if is_strong else FULL, MORE_SHARE
        if choice.total < least * best:
            choice.reason = FAR
        elif spent + choice.cost > room:
            choice.reason = FULL
        if choice.reason in (FITS, STRONG):
            spent += choice.take(choice.reason)
            runs |= {run} - {""}
    return spent


def _rank(choice: Choice) -> tuple[float, int]:
    return -choice.total, choice.place
