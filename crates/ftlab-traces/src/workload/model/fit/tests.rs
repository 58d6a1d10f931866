//! A model of a stream that a model made is that model again.

use super::*;
use crate::workload::model::profiles::Profile;

/// A fit to the first requests of a model.
fn refit(model: &Model, requests: u64) -> Model {
    let mut source = model.clone().input(Some(requests), 1).unwrap().open().unwrap();
    fit(source.as_mut(), &model.name, &mut |_, _| Ok(())).unwrap()
}

/// The share of uses at least this deep, between the rows by the logarithm.
fn deeper(rows: &[Vec<f64>], distance: f64) -> f64 {
    let at = rows.iter().rposition(|row| row[0] <= distance).expect("a row at 0");
    let (near, far) = (&rows[at], rows.get(at + 1).unwrap_or(&rows[at]));
    let part = ((distance + 1.0) / (near[0] + 1.0)).ln() / ((far[0] + 1.0) / (near[0] + 1.0)).ln();
    near[1] + if part.is_finite() { part * (far[1] - near[1]) } else { 0.0 }
}

#[test]
fn a_fitted_model_is_the_model_that_made_the_stream() {
    let mut model = Profile::find("financial2").unwrap().model();
    // A fit has one part, and nothing that lasts.
    model.parts.clear();
    model.runs.share = 0.09;
    let rows =
        [[0.0, 1.0], [143.0, 0.95], [357.0, 0.64], [1428.0, 0.47], [27e3, 0.3], [0.25e6, 0.04]];
    let distances = rows.iter().map(|row| row.to_vec()).collect();
    model.reuse = Reuse { distances, ..Reuse::default() };
    let fitted = refit(&model, 400_000);
    for distance in [100.0, 1000.0, 10_000.0, 60_000.0] {
        let stated = deeper(&model.reuse.distances, distance);
        let found = deeper(&fitted.reuse.distances, distance);
        assert!((found - stated).abs() < 0.03, "{distance}: {found}, stated {stated}");
    }
    assert!((fitted.runs.share - model.runs.share).abs() < 0.01, "{:?}", fitted.runs);
    assert!((fitted.arrivals.together - 0.45).abs() < 0.01, "{:?}", fitted.arrivals);
    assert_eq!(fitted.space.volumes.len(), model.space.volumes.len());
    assert_eq!(fitted.length.requests(), 400_000);
}

#[test]
fn what_is_written_reads_back_as_the_same_stream() {
    let fitted = refit(&Profile::find("financial1").unwrap().model(), 50_000);
    let text = fitted.to_string();
    let again = Model::parse(&text, "model").unwrap();
    assert_eq!(again.to_string(), text);
    let requests = |model: Model| {
        let mut batch = Vec::new();
        model.input(None, 1).unwrap().open().unwrap().fill(&mut batch).unwrap();
        batch
    };
    assert_eq!(requests(again.clone()), requests(again));
    assert_eq!(crate::workload::model::unexplained(&text, &fitted.origin), [""; 0]);
}

#[test]
fn a_trace_of_a_few_requests_is_refused() {
    let mut source = Profile::find("financial1").unwrap().model().input(Some(99), 1).unwrap();
    let refused = fit(source.open().unwrap().as_mut(), "short", &mut |_, _| Ok(()));
    let message = refused.unwrap_err().to_string();
    assert_eq!(message, "short: found 99 reads and writes, expected at least 100 to fit a model");
    source = Profile::find("financial1").unwrap().model().input(Some(100), 1).unwrap();
    assert!(fit(source.open().unwrap().as_mut(), "short", &mut |_, _| Ok(())).is_ok());
}
