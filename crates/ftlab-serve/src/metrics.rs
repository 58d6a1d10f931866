//! Figures of a live device, in the text format of Prometheus, over HTTP on a socket.

use crate::server::Shared;
use crate::stream::{Listener, Stream, Until};
use crate::visitors::Visitors;
use ftlab::metrics::latency::LatencySummary;
use ftlab::report::{ByCause, Report};
use std::fmt::Write as _;
use std::io::{self, Read, Write};
use std::time::Duration;

/// How long who asks may take in all, and how long a question may be, B.
const PATIENCE: Duration = Duration::from_secs(1);
const LONGEST_QUESTION: usize = 4096;

/// Who may ask at a time.
const MOST_ASKING: usize = 16;

/// Answers whoever asks until the server ends.
pub(crate) fn tell(listener: &Listener, shared: &Shared) {
    // Who asks badly, or goes, gets nothing.
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

/// The figures.
pub(crate) fn text(shared: &Shared) -> String {
    let (report, capacity, flushes, damaged) = {
        let live = shared.live();
        (live.report(), live.capacity(), live.flushes(), live.damaged_reads())
    };
    let connections = shared.connections();
    let mut page = Page(String::new());
    page.of_report(&report);
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

/// What is told.
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

    /// A figure that may not exist.
    fn ratio(&mut self, name: &str, help: &str, value: Option<f64>) {
        if let Some(value) = value {
            self.one(name, "gauge", help, value);
        }
    }

    fn of_report(&mut self, report: &Report) {
        self.head("ftlab_info", "gauge", "The FTL and the version of ftlab.");
        self.line(format_args!(
            "ftlab_info{{ftl=\"{}\",version=\"{}\"}} 1",
            report.ftl, report.ftlab
        ));
        let host = &report.host;
        self.head("ftlab_requests_total", "counter", "Requests that reached the FTL.");
        for (op, count) in [("read", host.reads), ("write", host.writes), ("trim", host.trims)] {
            self.line(format_args!("ftlab_requests_total{{op=\"{op}\"}} {count}"));
        }
        self.head("ftlab_host_bytes_total", "counter", "Bytes read and written by clients.");
        for (op, count) in [("read", host.bytes_read), ("write", host.bytes_written)] {
            self.line(format_args!("ftlab_host_bytes_total{{op=\"{op}\"}} {count}"));
        }
        self.head("ftlab_flash_operations_total", "counter", "Flash operations by cause.");
        let flash = &report.flash;
        for (operation, by_cause) in [
            ("read", &flash.reads),
            ("read_oob", &flash.oob_reads),
            ("program", &flash.programs),
            ("copyback", &flash.copybacks),
            ("erase", &flash.erases),
        ] {
            self.operations(operation, by_cause);
        }
        let amplification = report.write_amplification;
        self.ratio("ftlab_write_amplification", "Pages programmed / pages written.", amplification);
        let hits = report.mapping.as_ref().and_then(|mapping| mapping.hit_ratio);
        self.ratio("ftlab_mapping_hit_ratio", "Hits of the mapping cache / lookups.", hits);
        let help = "Response times of the emulated device.";
        self.summary("ftlab_response_seconds", help, report.response_us);
        let help = "Times from the first flash operation of a request to its last.";
        self.summary("ftlab_service_seconds", help, report.service_us);
        self.one(
            "ftlab_erases_max",
            "gauge",
            "Erases of the block with most.",
            report.wear.erases_max,
        );
    }

    fn operations(&mut self, operation: &str, by_cause: &ByCause) {
        for (cause, count) in by_cause {
            self.line(format_args!(
                "ftlab_flash_operations_total{{operation=\"{operation}\",cause=\"{cause}\"}} {count}"
            ));
        }
    }

    fn summary(&mut self, name: &str, help: &str, times: Option<LatencySummary>) {
        let Some(times) = times else { return };
        self.head(name, "gauge", help);
        let quantiles =
            [("0.5", times.p50), ("0.9", times.p90), ("0.99", times.p99), ("0.999", times.p999)];
        for (quantile, us) in quantiles {
            self.line(format_args!("{name}{{quantile=\"{quantile}\"}} {}", us / 1e6));
        }
    }
}
