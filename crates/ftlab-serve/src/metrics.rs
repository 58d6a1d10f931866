//! Metrics of a live device, in the text format of Prometheus, over HTTP on a socket.

use crate::hint::Hinted;
use crate::server::Shared;
use crate::stream::{Listener, Stream, Until};
use crate::visitors::Visitors;
use ftlab::figures::Metric;
use ftlab::report::Report;
use serde_json::Value;
use std::fmt::Write as _;
use std::io::{self, Read, Write};
use std::time::Duration;

/// The total time of a client; then the longest request, B.
const PATIENCE: Duration = Duration::from_secs(1);
const LONGEST_QUESTION: usize = 4096;

/// The most clients at a time.
const MOST_ASKING: usize = 16;

/// Answers clients until the server ends.
pub(crate) fn tell(listener: &Listener, shared: &Shared) {
    // A client that sends an invalid request, or leaves, gets no answer.
    let serve = |stream| drop(answer(&stream, shared));
    Visitors::new(MOST_ASKING).receive(listener, || shared.is_over(), serve);
}

fn answer(stream: &Stream, shared: &Shared) -> io::Result<()> {
    let mut stream = Until::new(stream, PATIENCE);
    let mut question = Vec::new();
    let mut some = [0; 512];
    while !question.windows(4).any(|end| end == b"\r\n\r\n") {
        let count = stream.read(&mut some)?;
        question.extend(&some[..count]);
        if count == 0 || question.len() > LONGEST_QUESTION {
            return Ok(());
        }
    }
    let (status, body) =
        match question.starts_with(b"GET /metrics ") || question.starts_with(b"GET / ") {
            true => ("200 OK", text(shared)),
            false => ("404 Not Found", String::new()),
        };
    let kind = "text/plain; version=0.0.4; charset=utf-8";
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
}

/// The metrics as text.
pub(crate) fn text(shared: &Shared) -> String {
    let (report, capacity, flushes, damaged, hinted) = {
        let live = shared.live();
        let hinted = live.hinted().to_vec();
        (live.report(), live.capacity(), live.flushes(), live.damaged_reads(), hinted)
    };
    let connections = shared.connections();
    let mut page = Page(String::new());
    page.of_report(&report);
    page.of_handles(&report, &hinted);
    page.one("ftlab_capacity_bytes", "gauge", "Bytes offered to clients.", capacity);
    page.one("ftlab_flushes_total", "counter", "Barriers asked for, FUA among them.", flushes);
    page.one(
        "ftlab_damaged_reads_total",
        "counter",
        "Requests that found a page damaged.",
        damaged,
    );
    page.one("ftlab_connections", "gauge", "Connections that are open.", connections.open);
    page.one("ftlab_connections_total", "counter", "Connections accepted.", connections.all);
    page.one(
        "ftlab_connections_refused_total",
        "counter",
        "Connections sent away.",
        connections.refused,
    );
    page.0
}

/// The text of an answer.
struct Page(String);

impl Page {
    fn head(&mut self, name: &str, kind: &str, help: &str) {
        self.line(format_args!("# HELP {name} {help}"));
        self.line(format_args!("# TYPE {name} {kind}"));
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        writeln!(self.0, "{line}").expect("text grows");
    }

    fn one(&mut self, name: &str, kind: &str, help: &str, value: impl std::fmt::Display) {
        self.head(name, kind, help);
        self.line(format_args!("{name} {value}"));
    }

    /// What was written with each handle, and its cost; nothing without hints.
    fn of_handles(&mut self, report: &Report, hinted: &[Hinted]) {
        let writes = hinted.iter().map(|one| one.writes.to_string()).collect();
        self.by_handle("ftlab_handle_writes_total", "counter", "Writes by handle.", writes);
        let bytes = hinted.iter().map(|one| one.bytes.to_string()).collect();
        self.by_handle("ftlab_handle_written_bytes_total", "counter", "Bytes by handle.", bytes);
        let handles = report.fdp.as_ref().map_or(0, |fdp| fdp.write_amplification.len());
        let copied = report.classes.iter().filter(|_| !hinted.is_empty());
        let copied = copied.flat_map(|classes| &classes.copied_by_writer[..handles]);
        let copied = copied.map(u64::to_string).collect();
        let help = "Pages that GC moves, by the handle that wrote last.";
        self.by_handle("ftlab_handle_copied_pages_total", "counter", help, copied);
        let factors = report.fdp.iter().filter(|_| !hinted.is_empty());
        let factors = factors.flat_map(|fdp| &fdp.write_amplification);
        let factors = factors.map(|one| one.map_or("NaN".into(), |one| one.to_string())).collect();
        let help = "Write amplification by the handle that wrote last.";
        self.by_handle("ftlab_handle_write_amplification", "gauge", help, factors);
    }

    fn by_handle(&mut self, name: &str, kind: &str, help: &str, values: Vec<String>) {
        if values.is_empty() {
            return;
        }
        self.head(name, kind, help);
        for (handle, value) in values.iter().enumerate() {
            self.line(format_args!("{name}{{handle=\"{handle}\"}} {value}"));
        }
    }

    /// The metrics whose declarations name them for Prometheus. A metric by cause has a line for
    /// each cause.
    fn of_report(&mut self, report: &Report) {
        self.head("ftlab_info", "gauge", "The FTL and the version of ftlab.");
        let (ftl, version) = (&report.ftl, report.ftlab);
        self.line(format_args!("ftlab_info{{ftl=\"{ftl}\",version=\"{version}\"}} 1"));
        let tree = serde_json::to_value(report).expect("a report serialises");
        let all = Metric::all::<Report>();
        let served = Vec::from_iter(all.iter().filter(|metric| !metric.live.is_empty()));
        for family in served.chunk_by(|one, next| name_of(one) == name_of(next)) {
            self.family(family, &tree);
        }
    }

    /// Metrics that share a name and differ in labels; those without a value are left out.
    fn family(&mut self, family: &[&Metric], tree: &Value) {
        let values = family.iter().flat_map(|metric| lines_of(metric, tree)).collect::<Vec<_>>();
        if values.is_empty() {
            return;
        }
        let name = name_of(family[0]);
        let kind = if name.ends_with("_total") { "counter" } else { "gauge" };
        let keys: Vec<&str> = family.iter().map(|metric| metric.name.as_str()).collect();
        self.head(name, kind, &format!("{} of a result.", keys.join(", ")));
        values.iter().for_each(|line| self.line(format_args!("{line}")));
    }
}

/// The name of a metric for Prometheus, without labels.
fn name_of(metric: &Metric) -> &str {
    metric.live.split_once('{').map_or(metric.live.as_str(), |(name, _)| name)
}

/// The lines of a metric: with its labels, and times in seconds.
fn lines_of(metric: &Metric, tree: &Value) -> Vec<String> {
    let value = metric.name.split('.').fold(tree, |tree, key| &tree[key]);
    let scaled = |value: &Value| match (metric.unit, value.as_f64()) {
        ("us", Some(us)) => (us / 1e6).to_string(),
        _ => value.to_string(),
    };
    let labelled = |(cause, value): (&String, &Value)| {
        let open = metric.live.trim_end_matches('}');
        format!("{open},cause=\"{cause}\"}} {}", scaled(value))
    };
    match value {
        Value::Null => Vec::new(),
        Value::Object(by_cause) => by_cause.iter().map(labelled).collect(),
        plain => vec![format!("{} {}", metric.live, scaled(plain))],
    }
}
