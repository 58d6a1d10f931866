"""A day with ftlab: run, compare, explain, sweep, plot, repeat; day.ipynb has the same cells."""

# %% Run: one FTL, with what its requests waited for, and a row for each request in a file
import ftlab
from ftlab import explain

trace = ftlab.profile("financial1", requests=5_000)
setup = {"preset": "tpftl-eurosys15", "warmup": "random:1"}
tpftl = ftlab.simulate(trace, "tpftl", run={"causes": True}, log="requests.parquet", **setup)
print(tpftl)
# %% Compare: three variants, with means and deviations over seeds
found = ftlab.compare(trace, ["dftl", "tpftl", "tpftl:features=bc"], seeds=3, **setup)
print(found)
found.plot.panel("tail", columns=1).savefig("tail.pdf")
# %% Explain: the difference of two means, divided by its causes
dftl = ftlab.simulate(trace, "dftl", run={"causes": True}, **setup)
labels, parts = ["DFTL", "TPFTL"], explain.parts_of(dftl, tpftl)
print(explain.sentence(labels, parts), explain.table_of(labels, parts).text(), sep="\n")
# %% Sweep: the mapping cache, with three seeds
ftls = [ftlab.DFTL(["4KiB", "8KiB"]), ftlab.TPFTL(["4KiB", "8KiB"])]
caches = ftlab.sweep(trace, ftls, seeds=3, results="caches", **setup)
print(caches)
# %% Plot: the hit ratio over the cache, for one column of print
caches.plot("ftl.cache", "mapping.hit_ratio", columns=1).savefig("caches.pdf")
# %% Repeat: the same settings give the same metrics
again = ftlab.simulate(trace, "tpftl", run={"causes": True}, **setup)
assert {**again.to_dict(), "speed": None} == {**tpftl.to_dict(), "speed": None}
