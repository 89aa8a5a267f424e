"""Send the memory operations of the event log to an OpenTelemetry collector.

Names are those of OpenTelemetry's semantic conventions for GenAI memory operations.  This needs
the extra `otel`.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from memory_core import __version__

EVENT_PREFIX = "agent.memory."

# The operation of each event; other events are not memory operations.
OPERATIONS = {
    "loaded": "search_memory",
    **dict.fromkeys(("learned", "imported", "approved", "restored"), "create_memory"),
    **dict.fromkeys(("reinforced", "merged", "edited", "confirmed"), "update_memory"),
    **dict.fromkeys(("contradicted", "pinned", "unpinned", "preference"), "update_memory"),
    **dict.fromkeys(("evicted", "archived", "removed"), "delete_memory"),
}

# Attributes with an OpenTelemetry name, by the key of the event.  The others that are exported
# have the key behind `agent_memory.`.
ATTRIBUTES = {
    "agent_id": "gen_ai.agent.id",
    "session": "gen_ai.conversation.id",
    "items": "gen_ai.memory.record.count",
}
OWN_ATTRIBUTES = ("event", "route", "run", "source", "change", "memory_size", "tokens_estimated")

TRACES_PATH = "/v1/traces"

# A collector that does not answer delays the end of the program so long.
TIMEOUT_SECONDS = 3


class SpanExporter:
    """Sends a span for each memory operation to an OTLP/HTTP endpoint, in the background.

    An endpoint without a path gets the path /v1/traces.
    """

    def __init__(self, endpoint: str, project: str) -> None:
        has_path = urlsplit(endpoint).path.strip("/") != ""
        url = endpoint if has_path else endpoint.rstrip("/") + TRACES_PATH
        attributes = {"service.name": "agent-memory", "service.version": __version__}
        self._project = project
        self._provider = TracerProvider(resource=Resource.create(attributes))
        exporter = OTLPSpanExporter(endpoint=url, timeout=TIMEOUT_SECONDS)
        self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer = self._provider.get_tracer("agent-memory", __version__)

    def export(self, event: dict[str, Any]) -> None:
        """Send an event of the log if it is a memory operation."""
        operation = OPERATIONS.get(str(event["event"]).removeprefix(EVENT_PREFIX))
        if not operation:
            return
        end = _count_nanoseconds(str(event["timestamp"]))
        start = end - int(event.get("duration_ms") or 0) * 1_000_000
        span = self._tracer.start_span(
            operation, start_time=start, attributes=make_attributes(event, operation, self._project)
        )
        span.end(end)

    def close(self) -> None:
        """Send what waits."""
        self._provider.shutdown()


def make_attributes(event: dict[str, Any], operation: str, project: str) -> dict[str, Any]:
    """Return the attributes of the span of an event; the store is PROJECT/AGENT."""
    store = f"{project}/{event.get('agent_id')}"
    names = {**ATTRIBUTES, **{key: f"agent_memory.{key}" for key in OWN_ATTRIBUTES}}
    attributes = {name: event[key] for key, name in names.items() if event.get(key) is not None}
    ids = event.get("ids") or []
    if len(ids) == 1:
        attributes["gen_ai.memory.record.id"] = ids[0]
    return {"gen_ai.operation.name": operation, "gen_ai.memory.store.id": store, **attributes}


def _count_nanoseconds(timestamp: str) -> int:
    moment = datetime.fromisoformat(timestamp.replace("Z", "+00:00"))
    return int(moment.timestamp() * 1000) * 1_000_000
