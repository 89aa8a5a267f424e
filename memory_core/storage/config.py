"""The settings in force: config.yml of the project over the user's one, over the defaults.

YAML and pydantic would cost a hook as much as ten interpreter starts.  Therefore the compiled
settings are kept with the state of this machine, and used while the files have the same text.
"""

from __future__ import annotations

from memory_core.storage import config_defaults
from memory_core.text import digests, fastjson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from memory_core.storage.paths import LevelPaths

CACHE_FILE = "config.json"

# Which text could not be read, and why: to try it again takes a second.
FAILURE_FILE = "config-failure.json"

# Increased when compiled settings change their meaning, so that older ones are not used.
CACHE_VERSION = 10

# Bytes of a config.yml; config_file also bounds the number of its values.
MAX_BYTES = 256 * 1024

OFF_WORDS = ("0", "off", "no", "false")
ON_WORDS = ("1", "on", "yes", "true")


class Config:
    """The settings in force for one project.

    `is_readable` is False if a whole file could not be read; `problems` and `invalid_variables`
    are messages for people.
    """

    __slots__ = ("invalid_variables", "is_readable", "problems", "values")

    def __init__(
        self,
        values: dict[str, Any],
        problems: list[str],
        is_readable: bool,
        invalid_variables: list[str],
    ) -> None:
        self.values = values
        self.problems = problems
        self.is_readable = is_readable
        self.invalid_variables = invalid_variables

    def __getitem__(self, key: str) -> Any:
        return self.values[key]

    def find_override(self, agent: str) -> dict[str, Any]:
        """Return the settings for one agent, under any spelling of its name."""
        from memory_core.claude_code import agent_names

        return dict(self.values["agent_overrides"].get(agent_names.id_of(agent), {}))

    def size_kb(self, agent: str) -> int:
        """Return the size limit of the agent's file in KB."""
        own = self.find_override(agent).get("size_kb") if self["agent_overrides"] else None
        return int(own or self["limits"]["default_size_kb"])

    def learning_of(self, agent: str) -> str:
        """Return whether an agent's learnings are saved (AUTO), wait for a person (ASK) or OFF.

        A setting for the agent comes first; `auto_learning: false` means OFF.
        """
        own = self.find_override(agent) if self["agent_overrides"] else {}
        if own.get("learning"):
            return str(own["learning"])
        switch = own.get("auto_learning")
        if not (self["auto_learning"] if switch is None else switch):
            return config_defaults.OFF
        mode = str(self["learning"])
        return config_defaults.AUTO if switch and mode == config_defaults.OFF else mode

    def may_learn(self, agent: str) -> bool:
        """Check whether the agent's reports teach, perhaps after a person agrees."""
        return self.learning_of(agent) != config_defaults.OFF

    def serves(self, agent: str) -> bool:
        """Check whether `include` and `exclude` give the agent a memory."""
        is_included = not self["include"] or _matches(agent, self["include"])
        return is_included and not _matches(agent, self["exclude"])


def _matches(agent: str, patterns: list[str]) -> bool:
    if not patterns:
        return False
    from fnmatch import fnmatchcase

    from memory_core.claude_code import agent_names

    return any(
        fnmatchcase(agent, pattern.casefold()) or agent_names.is_same(pattern, agent)
        for pattern in patterns
    )


def load(paths: LevelPaths, user: LevelPaths | None, environ: Mapping[str, str]) -> Config:
    """Return the settings in force; never raises, see `Config.problems`."""
    values, problems, is_readable = config_defaults.DEFAULTS, list[str](), True
    try:
        sources = [read_source(level) for level in (user, paths) if level]
    except OSError as error:
        values, problems, is_readable = _use_older(paths, str(error))
    else:
        if any(sources):
            files = [level.config for level in (user, paths) if level]
            values, problems, is_readable = _compile(paths, files, sources)
    values = _apply_environment(values, environ)
    return Config(values, problems, is_readable, _find_invalid_variables(environ))


def read_source(level: LevelPaths) -> str:
    """Return the text of a level's config.yml, "" if it is absent; raises OSError.

    Bytes that are not UTF-8 become lone surrogates.
    """
    return level.files.read(level.config, MAX_BYTES).decode("utf-8", "surrogateescape")


def write_source(level: LevelPaths, text: str) -> None:
    """Replace a level's config.yml; a blank one is deleted.  Raises OSError."""
    if text.strip():
        level.files.replace(level.config, text.encode("utf-8", "surrogateescape"))
    else:
        level.files.remove(level.config)


def is_off(environ: Mapping[str, str]) -> bool:
    """Check whether AGENT_MEMORY switches memory off for this run."""
    return _read_variable(environ, "AGENT_MEMORY") in OFF_WORDS


def _compile(
    paths: LevelPaths, files: list[str], texts: list[str]
) -> tuple[dict[str, Any], list[str], bool]:
    """Return values, problems, and whether the files could be read."""
    source = [CACHE_VERSION, files, [digests.hash_text(text) for text in texts]]
    compiled = _read_compiled(paths)
    if compiled and compiled["source"] == source:
        return compiled["values"], compiled["problems"], True
    failure = fastjson.load_object(paths.state.read_text(FAILURE_FILE))
    if failure.get("source") == source:
        return _use_older(paths, str(failure.get("problem")))
    try:
        from memory_core.storage import config_file

        values, problems = config_file.merge_texts(files, texts, paths.config)
    except ValueError as error:
        _save(paths, FAILURE_FILE, {"source": source, "problem": str(error)})
        return _use_older(paths, str(error))
    except ImportError as error:
        # A plugin's first minute has no YAML parser.
        return _use_older(paths, f"{files[-1]}: not read, {error.name} is not installed")
    _save(paths, CACHE_FILE, {"source": source, "values": values, "problems": problems})
    return values, problems, True


def _save(paths: LevelPaths, name: str, fields: dict[str, Any]) -> None:
    try:
        paths.state.replace(name, fastjson.dumps(fields).encode(), durable=False)
    except OSError:
        pass  # without state, every start compiles its settings


def _use_older(paths: LevelPaths, problem: str) -> tuple[dict[str, Any], list[str], bool]:
    """Return the settings that were in force before a file could not be read.

    Without them memory is off: the file may switch it off.
    """
    compiled = _read_compiled(paths)
    off = {**config_defaults.DEFAULTS, "enabled": False}
    return compiled["values"] if compiled else off, [problem], False


def _read_compiled(paths: LevelPaths) -> dict[str, Any] | None:
    try:
        compiled: dict[str, Any] = fastjson.loads(paths.state.read_text(CACHE_FILE))
        is_valid = compiled["source"][0] == CACHE_VERSION and _is_valid(
            compiled["values"], config_defaults.DEFAULTS
        )
        is_valid = is_valid and all(isinstance(text, str) for text in compiled["problems"])
    except (ValueError, LookupError, TypeError, AttributeError):
        return None
    return compiled if is_valid else None


def _is_valid(values: dict[str, Any], defaults: dict[str, Any]) -> bool:
    """Check compiled settings as config_models checks a file; raises as `_read_compiled` expects.

    A damaged file must not put a wrong value in force.
    """
    return all(_is_setting(key, values[key], default) for key, default in defaults.items())


def _is_setting(key: str, value: Any, default: Any) -> bool:
    if key == "agent_overrides":
        overrides = config_defaults.OVERRIDE_DEFAULTS
        return all(_is_valid(own, overrides) for own in value.values())
    if isinstance(default, dict):
        return _is_valid(value, default)
    if isinstance(default, list):
        return type(value) is list and all(type(text) is str for text in value)
    if value is None:
        return default is None
    if key in config_defaults.RANGES:
        lowest, highest = config_defaults.RANGES[key]
        return type(value) is type(lowest) and bool(lowest <= value <= highest)
    if key == "directory":
        return config_defaults.is_memory_directory(value)
    if key == "expire_after":
        return config_defaults.count_days(value) is not None
    words = config_defaults.WORDS.get(key)
    return value in words if words else type(value) is bool


def _read_variable(environ: Mapping[str, str], name: str) -> str:
    return environ.get(name, "").strip().casefold()


def _apply_environment(values: dict[str, Any], environ: Mapping[str, str]) -> dict[str, Any]:
    """Apply the variables that change settings for one run."""
    if is_off(environ):
        values = {**values, "enabled": False}
    learning = _read_variable(environ, "AGENT_MEMORY_LEARNING")
    if learning in OFF_WORDS or learning in ON_WORDS:
        values = _switch_learning(values, learning in ON_WORDS)
    selection = _read_variable(environ, "AGENT_MEMORY_SELECTION")
    if selection in OFF_WORDS or selection in ON_WORDS:
        values = {**values, "selection": {**values["selection"], "enabled": selection in ON_WORDS}}
    size = _read_size(environ)
    if size:
        values = {**values, "limits": {**values["limits"], "default_size_kb": size}}
        values = _override_agents(values, "size_kb", size)
    return values


def _switch_learning(values: dict[str, Any], is_on: bool) -> dict[str, Any]:
    """Switch learning on or off for one run; if it is on, agents that ask go on asking."""

    def switch(mode: str) -> str:
        is_kept = is_on and mode != config_defaults.OFF
        return mode if is_kept else config_defaults.AUTO if is_on else config_defaults.OFF

    overrides = {
        agent: {**own, "learning": own["learning"] and switch(own["learning"])}
        for agent, own in values["agent_overrides"].items()
    }
    mode = switch(values["learning"])
    values = {**values, "auto_learning": is_on, "learning": mode, "agent_overrides": overrides}
    return _override_agents(values, "auto_learning", is_on)


def _override_agents(values: dict[str, Any], key: str, value: object) -> dict[str, Any]:
    """Override per-agent settings too: a variable for one run has the highest precedence."""
    overrides = {
        agent: own if own.get(key) is None else {**own, key: value}
        for agent, own in values["agent_overrides"].items()
    }
    return {**values, "agent_overrides": overrides}


def _read_size(environ: Mapping[str, str]) -> int:
    """Return the size in KB that is set for this run, 0 for none or an invalid one."""
    digits = _read_variable(environ, "AGENT_MEMORY_LIMIT_KB").lstrip("0")
    # int() is slow with many digits, and refuses thousands of them.
    if not digits.isdecimal() or len(digits) > len(str(config_defaults.MAX_SIZE_KB)):
        return 0
    size = int(digits)
    return size if size <= config_defaults.MAX_SIZE_KB else 0


def _find_invalid_variables(environ: Mapping[str, str]) -> list[str]:
    """Return a message for each variable whose value is invalid and therefore ignored."""
    problems = []
    for name in ("AGENT_MEMORY", "AGENT_MEMORY_LEARNING", "AGENT_MEMORY_SELECTION"):
        if _read_variable(environ, name) not in ("", *OFF_WORDS, *ON_WORDS):
            problems.append(f"{name}: on or off is expected, not {environ[name]!r:.60}")
    name = "AGENT_MEMORY_LIMIT_KB"
    if _read_variable(environ, name) and not _read_size(environ):
        wanted = f"1 to {config_defaults.MAX_SIZE_KB} is expected"
        problems.append(f"{name}: {wanted}, not {environ[name]!r:.60}")
    return problems
