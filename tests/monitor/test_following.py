"""Follow a log that does not exist yet, is rotated, deleted, or torn."""

import random
import threading
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from memory_core import Memories, events
from memory_core.monitor import following
from memory_core.storage import event_log, paths

DAY = timedelta(days=1)


@pytest.fixture
def level(tmp_path: Path) -> paths.LevelPaths:
    return paths.LevelPaths(str(tmp_path), {"HOME": str(tmp_path)})


def write(level: paths.LevelPaths, *numbers: int, name: str = "agent.memory.loaded") -> None:
    for number in numbers:
        event_log.write(level, name, number=number)


def rotate(level: paths.LevelPaths) -> None:
    """Rename the files as a full log does."""
    if level.state.is_file(event_log.FILE_NAME):
        level.state.rename(event_log.FILE_NAME, event_log.OLD_FILE)


def read(reader: following.EventReader) -> list[int]:
    return [event["number"] for event in reader.read_new()]


def test_by_default_only_new_events_count(level: paths.LevelPaths) -> None:
    event_log.write(level, "agent.memory.loaded", timestamp="2026-01-01T00:00:00.000Z", number=1)
    reader = following.EventReader(level.state)
    write(level, 2)
    assert read(reader) == [2]


def rotate_twice(level: paths.LevelPaths) -> None:
    rotate(level)
    write(level, 90)
    rotate(level)


def tear(level: paths.LevelPaths) -> None:
    """A process is killed while it writes."""
    with open(level.state.locate(event_log.FILE_NAME), "a", encoding="utf-8") as file:
        file.write('{"event": "agent.mem')


CHANGES: dict[str, Callable[[paths.LevelPaths], object]] = {
    "rotate twice": rotate_twice,
    "tear": tear,
    "delete": lambda level: level.state.delete(event_log.FILE_NAME),
}


@pytest.mark.parametrize("change", CHANGES)
def test_no_event_is_lost_or_repeated(level: paths.LevelPaths, change: str) -> None:
    write(level, *range(3))
    reader = following.EventReader(level.state, since=datetime.now(timezone.utc) - DAY)
    assert read(reader) == [0, 1, 2]
    CHANGES[change](level)
    write(level, *range(3, 9))
    assert [number for number in read(reader) if number != 90] == [*range(3, 9)]
    assert read(reader) == []


@pytest.mark.parametrize("seed", range(10))
def test_any_sequence_of_writes_and_rotations(level: paths.LevelPaths, seed: int) -> None:
    chance = random.Random(seed)
    reader = following.EventReader(level.state)
    seen, count = [], 0
    for _step in range(100):
        if chance.random() < 0.2:
            rotate(level)
            seen += read(reader)
        for _event in range(chance.randrange(3)):
            write(level, count)
            count += 1
        if chance.random() < 0.5:
            seen += read(reader)
    assert seen + read(reader) == [*range(count)]
    assert len(reader._files) <= len(event_log.FILES) + 1


def test_a_line_is_read_when_it_is_complete(level: paths.LevelPaths) -> None:
    write(level, 1)
    reader = following.EventReader(level.state, since="2026-01-01")
    path = Path(level.state.locate(event_log.FILE_NAME))
    line = path.read_text(encoding="utf-8").replace('"number": 1', '"number": "ü"')
    data = line.replace("\\u00fc", "ü").encode()
    assert read(reader) == [1]
    for size in range(len(data)):
        with path.open("ab") as file:
            file.write(data[size : size + 1])
        assert bool(read(reader)) == (size == len(data) - 1)


def test_patterns(level: paths.LevelPaths) -> None:
    counts = {"*": 3, "agent.*": 2, "agent.memory.*": 1, "hook.slow": 1, "*.LOADED": 0, "": 0}
    readers = {pattern: following.EventReader(level.state, pattern) for pattern in counts}
    for name in ("agent.memory.loaded", "agent.delegation.failed", "hook.slow"):
        write(level, 1, name=name)
    assert {pattern: len(read(reader)) for pattern, reader in readers.items()} == counts


def test_the_older_name_of_a_loaded_memory(level: paths.LevelPaths) -> None:
    older = following.EventReader(level.state, "memory_injected")
    every = following.EventReader(level.state)
    got: list[events.Event] = []
    stop = events.on("memory_injected", got.append)
    before = events.stats()
    event_log.write(level, "agent.memory.loaded", agent_id="qa", memory_size=412, number=1)
    event_log.write(level, "agent.memory.learned", agent_id="qa", number=2)
    stop()
    (event,) = older.read_new()
    assert event == got[0]
    assert event.pop("timestamp")
    assert event == {"event": "memory_injected", "agent_id": "qa", "size": 412}
    assert read(every) == [1, 2]
    after = events.stats()
    assert after["published"] - before["published"] == 2
    assert (before["handlers"], after["handlers"]) == (1, 0)


def test_since_is_a_day_a_time_or_a_datetime(level: paths.LevelPaths) -> None:
    for day in range(1, 6):
        when = f"2026-01-0{day}T10:00:00.500Z"
        event_log.write(level, "agent.memory.loaded", timestamp=when, number=day)
    berlin = timezone(timedelta(hours=1))
    for since, expected in {
        "2026-01-03": [3, 4, 5],
        "2026-01-03T10:00:00.500Z": [3, 4, 5],
        "2026-01-03T10:00:00Z": [3, 4, 5],
        "2026-01-03T10:00:01": [4, 5],
        datetime(2026, 1, 3, 11, 0, 1, tzinfo=berlin): [4, 5],
    }.items():
        assert read(following.EventReader(level.state, since=since)) == expected, since
    for wrong in ("yesterday", "1h", "", "9"):
        with pytest.raises(ValueError, match="invalid time"):
            events.follow(since=wrong, project=level.root)


def test_follow_waits_for_the_next_event(
    level: paths.LevelPaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", level.root)
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    project = Path(level.root) / "shop"
    (project / ".claude-mpm").mkdir(parents=True)
    stream: Iterator[events.Event] = events.follow("agent.*", project=project, poll_s=0.01)
    shop = Memories(project)
    teach = threading.Timer(0.05, shop.remember, ("qa", "pattern", "Use the event bus"))
    teach.start()
    event = next(stream)
    teach.join()
    assert (event["event"], event["agent_id"]) == ("agent.memory.learned", "qa")
    assert (event["items"], event["source"]) == (1, "python")


def test_on_gets_events_of_this_process(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shops = []
    for name in ("shop", "other"):
        (tmp_path / name / ".claude-mpm").mkdir(parents=True)
        shops.append(Memories(tmp_path / name))
    names: list[str] = []
    of_shop: list[str] = []

    def fail(_event: events.Event) -> None:
        raise RuntimeError("of a handler")

    stops = [
        events.on("agent.memory.*", lambda event: names.append(event["event"])),
        events.on("*.learned", lambda event: of_shop.append(event["agent_id"]), tmp_path / "shop"),
        events.on("*", fail),
    ]
    for shop in shops:
        item = shop.remember("qa", "pattern", "Use the event bus")
        assert item
        shop.contradict("qa", item.id)
    for stop in stops:
        stop()
        stop()
    shops[0].remove("qa", "event bus")
    assert names == ["agent.memory.learned", "agent.memory.contradicted"] * 2
    assert of_shop == ["qa"]
    assert capsys.readouterr().err.count("RuntimeError: of a handler") == 4
    assert not event_log.handlers
