"""A day's work as a script and as a notebook: both are run, and both are the same."""

import ast
import json
import re
from pathlib import Path

import pytest

DAY = Path(__file__).parent.parent / "examples" / "day"
SCRIPT = (DAY / "day.py").read_text()
NOTEBOOK = json.loads((DAY / "day.ipynb").read_text())
CELLS = ["".join(cell["source"]) for cell in NOTEBOOK["cells"]]
WRITTEN = {"requests.parquet", "tail.pdf", "caches.pdf"}


def shown(names, told):
    """Check what a day leaves: its text, its files, and parts that add up to the difference."""
    assert told.count("±") > 10 and "service" in told
    assert {name for name in WRITTEN if Path(name).stat().st_size > 1000} == WRITTEN
    means = names["tpftl"].response_us.mean - names["dftl"].response_us.mean
    assert sum(part.difference for part in names["parts"]) == pytest.approx(means, abs=1e-9)


@pytest.mark.long
def test_a_day_is_a_script(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert len(SCRIPT.splitlines()) <= 30
    names = {}
    exec(compile(SCRIPT, "day.py", "exec"), names)
    shown(names, capsys.readouterr().out)


@pytest.mark.long
def test_a_day_is_a_notebook_and_its_cells_show_their_last_values(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names, pictures = {}, []
    for source in CELLS:
        tree = ast.parse(source)
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, "day.ipynb", "exec"), names)
        if last:
            value = eval(compile(ast.Expression(last.value), "day.ipynb", "eval"), names)
            pictures += [value._repr_html_()] if hasattr(value, "_repr_html_") else []
    shown(names, capsys.readouterr().out)
    assert all("<table" in each for each in pictures)


def test_the_notebook_has_the_cells_of_the_script():
    cells = [f"# {part}".rstrip("\n") for part in re.split(r"^# %% ", SCRIPT, flags=re.M)[1:]]
    assert cells == CELLS
    assert NOTEBOOK["nbformat"] == 4
    for cell in NOTEBOOK["cells"]:
        assert cell["cell_type"] == "code" and cell["outputs"] == [] and cell["id"]
