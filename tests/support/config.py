"""Load settings from a config.yml that a test writes."""

from pathlib import Path

from memory_core.storage import config, paths
from memory_core.storage.config_yml import config_merge
from support.sandbox import Sandbox


def load_text(root: Path, text: str | bytes, **env: str) -> config.Config:
    """Return the settings in force in a project with this config.yml."""
    path = root / ".claude-mpm" / "config.yml"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    environ = {"HOME": str(root / "home"), **env}
    return config_merge.load(paths.LevelPaths(str(root), environ), None, environ)


def format_problems(loaded: config.Config) -> list[str]:
    """Return the problems without the file's path: "LINE: KEY: reason"."""
    return [problem.partition("config.yml:")[2] for problem in loaded.problems]


def load_levels(sandbox: Sandbox, **env: str) -> config.Config:
    """Return the settings in force in a sandbox."""
    return config_merge.load(sandbox.paths, paths.find_user_level(sandbox.env), env)
