//! ftlab where there are no files, no threads and no clock: in a browser.
//!
//! A question is one FTL under one configuration, as JSON. [`ask`] runs it and calls the host with progress
//! and with frames, which have the blocks that changed. The last call has the report, or a line that says what is
//! wrong. After each call the host says whether to go on, so a page keeps its own limits. In WebAssembly the host gets
//! the same bytes as natively; `tests/browser.rs` compares them.

#[cfg(target_arch = "wasm32")]
mod border;
mod recording;

use ftlab::Error;
use ftlab::catalog::Catalog;
use ftlab::drive::Progress;
use ftlab::session::{Point, Reading, held, run_shown_over};
use recording::Recording;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// One FTL under one configuration.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    /// Name of the FTL.
    ftl: String,
    /// The settings that differ from their defaults, as configuration files have them.
    config: Map<String, Value>,
    /// Requests between two frames; absent: as many as make 240 frames.
    every: Option<u64>,
    /// Name of the trace that comes with the question. It is the input then.
    trace: Option<String>,
}

/// Is told JSON, and says whether to go on.
pub type Tell<'a> = &'a mut dyn FnMut(&str) -> bool;

/// Answers a question: runs it and calls `tell` with progress, frames and at last `report` or `error`. `trace` holds
/// what the question names as its trace.
pub fn ask(question: &[u8], trace: Vec<u8>, tell: Tell<'_>) {
    let last = match answer(question, trace, tell) {
        Ok(report) => json!({ "report": report }),
        Err(error) => json!({ "error": one_line(&error.to_string()) }),
    };
    tell(&last.to_string());
}

fn answer(question: &[u8], trace: Vec<u8>, tell: Tell<'_>) -> Result<Value, Error> {
    let question: Question = serde_json::from_slice(question)
        .map_err(|error| Error::config("question", error.to_string()))?;
    let catalog = Catalog::standard();
    let config = catalog.resolve(&question.config)?;
    let reading = match &question.trace {
        None => Reading::default(),
        Some(name) => Reading::over(held(name, &trace, &config)?, &config)?,
    };
    let point = Point { config, ftl: question.ftl };
    let tell = &std::cell::RefCell::new(tell);
    let told = |what: &Value| match (tell.borrow_mut())(&what.to_string()) {
        true => Ok(()),
        false => Err(Error::Interrupted),
    };
    let mut recording = Recording::default();
    let report = run_shown_over(
        &reading,
        &catalog,
        &point,
        question.every,
        &mut |frame| told(&json!({ "frame": recording.add(&frame) })),
        &mut |Progress { phase, requests, fraction }| {
            told(&json!({ "phase": phase, "requests": requests, "fraction": fraction }))
        },
    )?;
    let mut report = serde_json::to_value(report)
        .map_err(|error| Error::Internal(format!("a report that is no JSON: {error}")))?;
    // The time that a run takes differs from run to run.
    report.as_object_mut().map(|sections| sections.remove("speed"));
    Ok(report)
}

/// A message whose names cannot begin a line.
fn one_line(message: &str) -> String {
    message.replace(char::is_control, " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(question: &str, trace: &[u8]) -> Vec<Value> {
        let mut told = Vec::new();
        ask(question.as_bytes(), trace.to_vec(), &mut |text| {
            told.push(serde_json::from_str(text).expect("JSON"));
            true
        });
        told
    }

    const QUESTION: &str = r#"{"ftl": "dftl", "every": 1000, "config": {"device": {"capacity": "16MiB"},
        "workload": {"pattern": "randwrite", "size": "16MiB", "requests": 5000}}}"#;

    #[test]
    fn frames_come_before_the_report_and_end_with_its_figures() {
        let told = told(QUESTION, b"");
        let frames: Vec<&Value> = told.iter().filter_map(|each| each.get("frame")).collect();
        assert_eq!(frames.len(), 6);
        let report = &told.last().expect("an answer")["report"];
        assert_eq!(report["write_amplification"], frames[5]["so_far"]["write_amplification"]);
        assert!(report.get("speed").is_none());
    }

    #[test]
    fn a_trace_that_comes_along_is_the_input() {
        let question = r#"{"ftl": "page", "trace": "mine.spc", "config": {}}"#;
        let told = told(question, b"0,0,4096,w,0.0\n0,8,4096,w,0.5\n0,0,4096,r,1.0\n");
        let report = &told.last().expect("an answer")["report"];
        assert_eq!(report["trace"]["name"], "mine.spc");
        assert_eq!(report["trace"]["format"], "spc");
        assert_eq!(report["host"]["requests"], 3);
    }

    #[test]
    fn what_cannot_be_run_is_told_in_one_line() {
        for (question, expected) in [
            ("", "question: EOF"),
            ("[]", "question: invalid"),
            (r#"{"ftl": "tpfl", "config": {}}"#, "unknown FTL"),
            (r#"{"ftl": "page", "config": {"device": {"capacity": "2\nMB"}}}"#, "device.capacity"),
            (r#"{"ftl": "page", "config": {"input": {"trace": "no.spc"}}}"#, "no.spc"),
            (r#"{"ftl": "page", "config": {}, "trace": "a\nb.csv"}"#, "found no request"),
        ] {
            let told = told(question, b"");
            let error = told[0]["error"].as_str().expect("an error");
            assert!(error.contains(expected) && !error.contains('\n'), "{question}: {error}");
        }
    }

    #[test]
    fn the_host_ends_a_run() {
        let mut calls = 0;
        let mut last = String::new();
        ask(QUESTION.as_bytes(), Vec::new(), &mut |text| {
            calls += 1;
            text.clone_into(&mut last);
            calls < 3
        });
        assert_eq!(calls, 4, "the line that says so is the last");
        assert!(last.contains("error"), "{last}");
    }
}
