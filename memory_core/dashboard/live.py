"""Server-sent events: what the event log gets, as it happens."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import closing

import anyio
import anyio.to_thread
from starlette.responses import StreamingResponse

from memory_core.monitor.following import EventReader
from memory_core.storage.project import Project

MEDIA_TYPE = "text/event-stream"

POLL_SECONDS = 0.3

# A page needs to know that something happened, and to whom.
FIELDS = ("event", "timestamp", "agent_id", "task_id")


def stream_events(project: Project, is_stopping: Callable[[], bool]) -> StreamingResponse:
    """Return a stream of the events from now on, which ends when the server stops."""
    lines = _write_events(EventReader(project.paths.state), is_stopping)
    return StreamingResponse(lines, media_type=MEDIA_TYPE)


async def _write_events(reader: EventReader, is_stopping: Callable[[], bool]) -> AsyncIterator[str]:
    with closing(reader):
        await anyio.to_thread.run_sync(reader.read_new)
        yield "event: ready\ndata:\n\n"
        while not is_stopping():
            for event in await anyio.to_thread.run_sync(reader.read_new):
                fields = {key: event[key] for key in FIELDS if key in event}
                yield f"data: {json.dumps(fields)}\n\n"
            await anyio.sleep(POLL_SECONDS)
