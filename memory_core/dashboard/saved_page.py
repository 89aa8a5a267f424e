"""The overview as one file to send: it has no links and scripts, and loads nothing."""

from __future__ import annotations

import os
import re
from pathlib import Path

from memory_core.dashboard import rendering
from memory_core.dashboard.page import Visit
from memory_core.dashboard.pages.overview import show_overview
from memory_core.monitor.numbers import find_today
from memory_core.storage.project import Project

STYLE = os.path.join(os.path.dirname(__file__), "static", "style.css")


def make_page(project: Project) -> str:
    """Return the overview of a project as HTML."""
    style = Path(STYLE).read_text(encoding="utf-8")
    view = show_overview(Visit(project))
    templates = rendering.make_templates(
        project.environ, project_name=project.name, saved_style=style, day=find_today()
    )
    values = {"page": None, "message": None, "is_known": True, **view.values}
    page = templates.get_template(view.template).render(values)
    return re.sub(r"</?a\b[^>]*>", "", page)
