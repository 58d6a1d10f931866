"""The start of a custom FTL: the files that `ftlab new` writes."""

from __future__ import annotations

import json
import os
import re
import tomllib
from importlib.util import find_spec
from keyword import iskeyword
from pathlib import Path

from ftlab import cores, names
from ftlab._core import __version__
from ftlab.catalogue import catalog
from ftlab.errors import ConfigError
from ftlab.files import check_writable, workplace, write_atomically

PACKAGE = Path(__file__).parent.parent
"""Where the texts are: the class `ftlab.PageMapped`, and the files in this folder."""

CLONE = PACKAGE.parent.parent
"""Where the sources of ftlab are if it is installed from a clone."""

IMPORTED = ("DeviceInfo", "Flash")
"""What the start in Python imports, and its class cannot be called."""

CRATES = ("crates/ftlab", "crates/ftlab-python")
"""What a crate depends on, below the sources of ftlab."""

COPIED = ("Cargo.lock", "rust-toolchain.toml")
"""Files of ftlab that a crate shares, so that both are built by the same tools and versions."""


def python(path: Path) -> list[Path]:
    """Write an FTL in Python and its tests next to it; return both files."""
    name = path.stem
    cls = "".join(part[:1].upper() + part[1:] for part in name.split("_"))
    _check(name, r"[A-Za-z][A-Za-z0-9_]*\Z", "a name of letters, digits and _, as my_ftl.py")
    if iskeyword(name) or iskeyword(cls) or cls in IMPORTED:
        raise ConfigError(f"{path}: found a word that has a meaning in Python, expected a name")
    if find_spec(name):
        raise ConfigError(f"{path}: found the name of an installed module, expected another")
    ftl = (PACKAGE / "page_mapped.py").read_text("utf-8")
    ftl = ftl.replace("PageMapped", cls).replace("from ftlab._core import", "from ftlab import")
    test = (PACKAGE / "starts" / "test_my_ftl.py.txt").read_text("utf-8")
    test = test.replace("my_ftl", name).replace("MyFtl", cls)
    written = {path: ftl, path.with_name(f"test_{name}.py"): test}
    for file in written:
        _check_new(file)
        check_writable(file)
    for file, text in written.items():
        write_atomically(file, text, place="new")
    return list(written)


def rust(folder: Path, source: Path | None = None) -> list[Path]:
    """Write a crate with an FTL, its tests and its package; return the files.

    ``source`` has the sources of ftlab: by default the clone that it is installed from.
    """
    name = folder.name
    _check(name, r"[a-z][a-z0-9_]*\Z", "a name of small letters, digits and _, as my_ftl")
    if name in cores.sections():
        raise ConfigError(f"{name}: found a section of the settings, expected another name")
    _check_new(folder)
    clone = _source(source)
    texts = PACKAGE / "starts" / "rust"
    files = sorted(each for each in texts.rglob("*") if each.is_file())
    with workplace(folder) as place:
        for file in files:
            text = file.read_text("utf-8").replace("hotcold", name)
            for crate in CRATES:
                text = text.replace(f'"../ftlab/{crate}"', _quoted(clone / crate))
            _write(place / file.relative_to(texts), text)
        for shared in COPIED:
            _write(place / shared, (clone / shared).read_text("utf-8"))
        try:
            os.rename(place, folder)
        except OSError as error:
            raise ConfigError(f"{folder}: cannot be written: {error.strerror}") from error
    made = [folder / file.relative_to(texts) for file in files]
    return made + [folder / shared for shared in COPIED]


def _check(name: str, pattern: str, expected: str) -> None:
    """Refuse what is no name of a file, a class and an FTL at once."""
    if not re.match(pattern, name):
        raise ConfigError(f"{name}: found a name that cannot be used, expected {expected}")
    taken = names.ftl(name)
    if taken in (each["name"] for each in catalog()["ftls"]):
        raise ConfigError(f"{name}: found the name of the FTL {taken}, expected another")


def _check_new(path: Path) -> None:
    """Refuse to write over what is there."""
    if os.path.lexists(path):
        raise ConfigError(f"{path}: exists, expected a new name; nothing was written")


def _source(given: Path | None) -> Path:
    """Return the folder with the sources of this ftlab."""
    source = (given or CLONE).absolute()
    cores.utf8(str(source))
    try:
        workspace = tomllib.loads((source / "Cargo.toml").read_text("utf-8"))["workspace"]
        version = workspace["package"]["version"]
    except (OSError, ValueError, LookupError, TypeError) as error:
        message = "found no sources of ftlab, expected a clone; name its folder with --source"
        raise ConfigError(f"{source}: {message}") from error
    if version != __version__:
        raise ConfigError(f"{source}: found ftlab {version}, expected {__version__} as installed")
    return source


def _quoted(path: Path) -> str:
    """Return a path as a string of TOML."""
    return json.dumps(str(path), ensure_ascii=False).replace("\x7f", "\\u007f")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
