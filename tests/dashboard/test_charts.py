"""Charts are well-formed, fit their numbers, and show hostile texts as text."""

from typing import Any
from xml.etree.ElementTree import fromstring

import pytest

from memory_core.dashboard import rendering
from memory_core.dashboard.rendering import Series

DRAWING: Any = rendering.make_templates({}).get_template("charts.html").module
HOSTILE = """"><script>alert('x')</script>&amp;\0 'x' onload=x"""


def list_bars(text: str, colour: int) -> list[float]:
    """Return the heights of the bars of one colour."""
    name = f"chart-bar chart-{colour}"
    bars = [bar for bar in fromstring(text).iter("rect") if bar.get("class") == name]
    return [float(bar.attrib["height"]) for bar in bars]


def test_bars_are_as_high_as_their_values() -> None:
    series = [Series("learned", [4, 0, 2]), Series("removed", [4, 8, None], 3)]
    text = DRAWING.bars("Items a week", ["9 Nov", "16 Nov", "23 Nov"], series)
    assert list_bars(text, 1) == [DRAWING.plot / 2, DRAWING.plot / 4]
    assert list_bars(text, 3) == [DRAWING.plot / 2, DRAWING.plot]
    titles = [element.text for element in fromstring(text).iter("title")]
    assert titles[::2] == ["9 Nov: learned 4, removed 4", "23 Nov: learned 2"]
    assert fromstring(text).attrib["aria-label"] == "Items a week"


@pytest.mark.parametrize("count", [0, 1, 6, 7, 30, 366])
def test_few_labels_of_many(count: int) -> None:
    labels = [f"day {number}" for number in range(count)]
    text = DRAWING.bars("Days", labels, [Series("learned", [1] * count)])
    shown = [at.text for at in fromstring(text).iter("text") if at.get("class") == "chart-label"]
    assert len(shown) == min(count, len(shown)) <= DRAWING.most_labels
    assert not count or shown[0] == "day 0"


def test_numbers_on_an_axis_are_round_and_short() -> None:
    tops = {0: 1, 1: 1, 2: 2, 3: 4, 9: 10, 10: 10, 11: 12, 13: 14, 17: 20, 99: 100, 101: 120}
    tops |= {1500: 1600, 123456: 140000}
    assert {value: rendering.find_top(value) for value in tops} == tops
    assert rendering.find_top(0.5) == 1
    texts = {0: "0", 950: "950", 1200: "1.2k", 20_000: "20k", 3_000_000: "3M"}
    assert {value: rendering.format_short(value) for value in texts} == texts


def test_hostile_texts_are_text() -> None:
    series = [Series(HOSTILE, [1, None, 3])]
    texts = [
        DRAWING.bars(HOSTILE, [HOSTILE] * 3, series),
        DRAWING.sparkline(HOSTILE, [1, 2]),
        DRAWING.legend(series),
    ]
    for text in texts:
        names = {element.tag for element in fromstring(text).iter()}
        assert "script" not in names
        attributes = {name for element in fromstring(text).iter() for name in element.attrib}
        assert not {name for name in attributes if name.startswith("on")} | {"style"} & attributes
