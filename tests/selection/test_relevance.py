"""bench/relevance.py measures the choice of items; here on a small invented set."""

import json
import subprocess
import sys

from support.paths import REPO

COMMAND = [sys.executable, "bench/relevance.py", "tests/cases/relevance.json", "--json"]


def test_ours_beats_plain_bm25_and_newest_first() -> None:
    done = subprocess.run(COMMAND, cwd=REPO, capture_output=True, text=True, check=True)
    result = json.loads(done.stdout)
    values = {
        name: {figure: value for figure, (value, _low, _high) in figures.items()}
        for name, figures in result["figures"].items()
    }
    ours = values["ours"]
    assert set(result["items"]) == {"example/shop", "example/skymap"}
    assert result["tasks"]["hit@1"] == 10
    assert result["tasks"]["unrelated"] == 2
    for other in ("plain BM25", "newest first"):
        assert ours["MRR"] > values[other]["MRR"]
        assert ours["hit@1"] >= values[other]["hit@1"]
        assert ours["other"] < values[other]["other"]
    assert ours["unrelated"] < values["everything"]["unrelated"]
