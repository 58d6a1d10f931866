import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import pytest

import sample
from ftlab import Comparison, Result
from ftlab.report.html import report
from ftlab.report.lead import lead
from ftlab.report.summary import cost_table

EVIL = '</script><script>alert("x")</script><img src=x onerror=alert(1)>'


class Page(HTMLParser):
    """Collects what a browser would load, run or style."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.inline: dict[str, str] = {}
        self.handlers: list[str] = []
        self.policy = ""
        self._inside = ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self._inside = tag
        values = dict(attrs)
        self.links += [values[name] for name in ("src", "href") if name in values]
        self.handlers += [name for name in values if name.startswith("on") or name == "style"]
        if values.get("http-equiv") == "Content-Security-Policy":
            self.policy = values["content"]

    def handle_endtag(self, tag):
        self._inside = ""

    def handle_data(self, data):
        if self._inside in ("script", "style"):
            self.inline[self._inside] = data


@pytest.fixture
def page(comparison) -> Page:
    return Page(report(comparison))


def test_the_page_loads_nothing_from_outside(page):
    assert page.links
    assert all(link.startswith("data:") for link in page.links)
    assert "link" not in page.tags
    assert "url(" not in page.inline["style"]


def test_the_policy_allows_only_what_the_page_carries(page):
    assert page.policy.startswith("default-src 'none'; img-src data:;")
    assert "unsafe" not in page.policy
    for kind, text in page.inline.items():
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in page.policy
    assert not page.handlers, "the policy would refuse inline handlers and styles"


def test_text_from_outside_is_never_markup():
    evil = sample.result(EVIL)
    evil["trace"]["name"] = evil["config"]["ftl"]["name"] = EVIL
    evil["warnings"] = [EVIL]
    page = Page(report(Comparison([Result(evil)])))
    assert page.tags.count("script") == 1
    assert "alert" not in page.inline["script"]
    assert not page.handlers


@pytest.mark.long
def test_the_data_can_be_saved_from_the_page(page, comparison):
    data = [link for link in page.links if link.startswith("data:application/json")]
    (content,) = (base64.b64decode(link.partition(",")[2]) for link in data)
    assert json.loads(content) == comparison.to_dict()
    assert any(link.startswith("data:text/csv;base64,") for link in page.links)


def test_the_page_shows_table_figures_warnings_and_configuration(comparison):
    text = report(comparison)
    assert len(re.findall(r"<img ", text)) == 4
    assert "yes: spread 1.50 %, drift -0.10 % of the last windows" in text
    assert "1.200 1.900 ... 1.990 2.000 2.010 2.000 2.000" in text
    assert '<td class="best"><b>90.00 %</b></td>' in text
    assert "tpftl never collected garbage" in text
    assert "&quot;pages_per_block&quot;: 64" in text
    assert "300 reads verified" in text


def test_a_warm_up_without_windows_has_no_figure(result):
    plain = result.to_dict()
    plain["warmup"] |= {"windows": None, "steady": None}
    text = report(Comparison([Result(plain)]))
    assert len(re.findall(r"<img ", text)) == 3
    assert "passes over the input" in text


def test_a_single_result_has_no_relative_table(result):
    assert "Relative to the first" not in report(Comparison([result]))


@pytest.mark.long
def test_the_same_results_give_the_same_page(comparison):
    assert report(comparison) == report(comparison)


def test_a_report_opens_with_who_wins_by_how_much_and_at_what_ram(comparison):
    assert lead(comparison) == [
        "TPFTL has the lowest mean response: 300.0 µs, 33.3 % below DFTL (RAM 8.5 KiB against "
        "8.5 KiB).",
        "page-level has the lowest write amplification: 1.050, 3.0 % below TPFTL (RAM 8.5 KiB "
        "against 8.5 KiB).",
        "Read the 3 warnings below before you publish a number.",
    ]


def test_figures_that_hardly_differ_are_a_draw_and_one_ftl_is_described():
    near = [Result(sample.result(ftl, mean)) for ftl, mean in (("page", 900.0), ("dftl", 901.0))]
    assert lead(Comparison(near))[0].startswith(
        "page-level and DFTL have the same mean response: 900.0 µs ("
    )
    alone = lead(Comparison([Result(sample.result("dftl", 450.0, 0.8, 128))]))
    assert alone[0].startswith("DFTL has a mean response of 450.0 µs, 99 % of requests within 1.8")


def test_response_times_under_overload_are_not_to_be_believed():
    late = sample.result("dftl", 100.0, 0.8, 128)
    late["host"]["overloaded"] = True
    sentences = lead(Comparison([Result(sample.result()), Result(late)]))
    assert not any("lowest mean response" in each for each in sentences)
    assert any(each.startswith("Do not use response times of DFTL:") for each in sentences)


def test_costs_have_a_row_for_each_cause_that_occurs(comparison):
    table = cost_table(comparison)
    assert [row[0] for row in table.rows] == [
        "reads, host",
        "reads, translation",
        "reads, GC data",
        "programs, host",
        "programs, translation",
        "programs, GC data",
        "erases, data",
        "erases, translation",
    ]
    assert table.rows[1] == ["reads, translation", "0", "128", "64"]
