"""FTLs in Python that lose or mix up data: each is refused by what it does."""

import pytest

from marks import long_but
from test_docs import PAGE_MAPPED

SMALL = ["--workload", "randrw,bs=4k,size=8MiB,requests=20000", "--capacity", "8MiB"]
SMALL += ["--pages-per-block", "16", "--warmup", "footprint"]

# How collection moves a page.
MOVE = (
    PAGE_MAPPED[: PAGE_MAPPED.index("        flash.erase(block)")]
    .partition("flash.valid_pages(block):\n")[2]
    .strip()
)

# What each changes in the page map of the tutorial, and what is said of it.
CHEATS = {
    "collection trims valid pages": (
        PAGE_MAPPED[
            PAGE_MAPPED.index(MOVE) : PAGE_MAPPED.index("        flash.erase(block)")
        ].strip(),
        "lpn = flash.read(old, 'gc_data'); self.remap(lpn, None, flash); flash.trim(lpn)",
        "only a page that the host asks to trim is trimmed, once",
    ),
    "all go to one page": (
        "flash.program(new, lpn)\n            self.remap(lpn, new, flash)",
        "flash.program(new, 0)\n            self.remap(0, new, flash)",
        "only a page that the host asks to write is written for it, once",
    ),
    "another page is read": (
        "flash.host_read(lpn, self.map[lpn])",
        "flash.host_read(lpn ^ 1, self.map[lpn ^ 1])",
        "only a page that the host asks to read is read for it, once",
    ),
    "a page is begun again": (
        "flash.host_read(lpn, self.map[lpn])",
        "flash.begin_page(); flash.host_read(lpn, self.map[lpn])",
        "a page that is begun is served, once, before the next is begun",
    ),
    "a map is read before a page is begun": (
        "for lpn in flash.begin_each(pages):\n            flash.host_read(lpn, self.map[lpn])",
        "for lpn in pages:\n            "
        "flash.read(self.map[lpn], 'translation') if self.map[lpn] is not None else None\n"
        "            flash.begin_page(); flash.host_read(lpn, self.map[lpn])",
        "a page is begun before anything is done for it",
    ),
    "a read is left out": (
        "flash.host_read(lpn, self.map[lpn])",
        "flash.is_valid(0)",
        "every page that the host asks to read is read",
    ),
}


@pytest.fixture
def cheat(tmp_path, request) -> tuple[str, str]:
    """A page map with one wrong rule: its file, and the words."""
    right, wrong, words = CHEATS[request.param]
    assert PAGE_MAPPED.count(right) == 1, "the tutorial has changed"
    path = tmp_path / "cheat.py"
    path.write_text(PAGE_MAPPED.replace(right, wrong))
    return str(path), words


@pytest.mark.parametrize("cheat", CHEATS, indirect=True)
@pytest.mark.parametrize("command", long_but(["run"], ["run", "compare", "check"]))
def test_a_cheating_ftl_is_refused(ftlab, cheat, command):
    path, words = cheat
    arguments = {
        "run": ["run", *SMALL, "--ftl", path],
        "compare": ["compare", *SMALL, "--ftl", f"{path},page"],
        "check": ["check", path, "--cases", "10"],
    }
    told = ftlab(*arguments[command])
    assert told.exit_code == 1
    assert words in told.output
