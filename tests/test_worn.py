"""A device that wears out in a run is told, and is not compared with one that went on."""

import ftlab as lab
from ftlab.report.summary import comparison_table, relative_table, run_summary
from ftlab.result import Comparison

WORN = {
    "device": lab.Device(capacity="8MiB", pages_per_block=16, endurance=5),
    "warmup": "sequential",
}


def test_a_device_that_wears_out_is_told_and_wins_nothing():
    everything = lab.Workload("randrw", bs="4k", size="7MiB", requests=20_000)
    lasting = {**WORN, "device": lab.Device(capacity="8MiB", pages_per_block=16)}
    worn = lab.simulate(everything, "dftl", **WORN)
    well = lab.simulate(everything, "page", **lasting)
    both = Comparison([worn, well])
    refused = worn.lifetime.refused_requests
    assert refused > 0
    assert any("refused" in text and f"({refused})" in text for text in worn.warnings)
    table = comparison_table(both)
    assert all(row[1].endswith("(worn out)") for row in table.rows if row[0] == "block erases")
    assert not table.best
    assert all("worn out" in row[1] for row in relative_table(both).rows)
    text = dict(run_summary(worn))
    assert any(label == "refused requests" for label, _ in text["lifetime"])
