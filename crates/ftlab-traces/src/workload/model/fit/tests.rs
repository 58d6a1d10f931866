//! A model of a stream makes a stream that is like it.

use super::*;
use crate::request::Input;
use crate::workload::model::profiles::Profile;
use std::sync::Arc;

/// A fit to the first requests of a model.
fn refit(model: &Model, requests: u64) -> Model {
    let mut source = model.clone().input(Some(requests), 1).unwrap().open().unwrap();
    fit(source.as_mut(), &model.name, &mut |_, _| Ok(())).unwrap()
}

/// The first requests of a model.
fn made(model: &Model, requests: u64) -> Vec<Request> {
    model.clone().input(Some(requests), 1).unwrap().open().unwrap().rest().unwrap()
}

#[test]
#[ignore = "long: part of make test-long"]
fn the_stream_of_a_fitted_model_is_like_the_one_it_was_fitted_to() {
    let sizes: Vec<u64> = (3..18).map(|power| 1 << power).collect();
    for name in ["financial2", "build", "msr-ts"] {
        let model = Profile::find(name).unwrap().model();
        let requests = 30_000;
        let fitted = refit(&model, requests);
        let [stated, found] =
            [&model, &fitted].map(|model| facts::Facts::of(&made(model, requests), &sizes));
        let apart = found.curves_apart(&stated);
        assert!(apart < 0.04, "{name}: {apart}, {stated:?}, {found:?}");
        assert!((found.lasting - stated.lasting).abs() < 0.08, "{name}: {stated:?}, {found:?}");
        assert!(
            (found.updates / stated.updates - 1.0).abs() < 0.15,
            "{name}: {stated:?} {found:?}"
        );
        assert_eq!(fitted.length.requests(), requests);
        let nearness = fitted.nearness.unwrap();
        assert!(nearness.starts_with("LRU caches of pages miss"), "{nearness}");
    }
}

#[test]
fn busy_volumes_and_places_that_last_have_parts() {
    let at = |time: u64, volume: u32, page: u64| {
        Request::new(Op::Write, page * 4096, 4096).at(time).in_volume(volume)
    };
    // Volume 7: always new places; volume 3: one page in turn with new ones.
    let requests: Vec<Request> = (0..4000)
        .map(|n| match n % 4 {
            0 => at(n, 3, 5),
            1 => at(n, 3, 1000 + 17 * n),
            _ => at(n, 7, 13 * n),
        })
        .collect();
    let input: Arc<[Request]> = requests.into();
    let model = fit(input.open().unwrap().as_mut(), "two", &mut |_, _| Ok(())).unwrap();
    let parts: Vec<(&str, f64)> =
        model.parts.iter().map(|part| (part.name.as_str(), part.share)).collect();
    assert_eq!(parts, [("volume 7", 0.5), ("rest, lasting", 0.25)]);
    let lasting = &model.parts[1];
    let number = |space: &crate::workload::model::file::Space| space.volumes[0].number;
    assert_eq!([number(&lasting.space), number(&model.space)], [Some(3); 2]);
    assert_eq!(number(&model.parts[0].space), Some(7));
    let stream = made(&model, 4000);
    let busiest = busiest(&stream);
    let again = stream.iter().filter(|r| (r.volume, r.offset) == busiest).count();
    assert!((800..1200).contains(&again), "{again}");
}

/// The page that most requests go to.
fn busiest(requests: &[Request]) -> (u32, u64) {
    let mut counts: BTreeMap<(u32, u64), usize> = BTreeMap::new();
    requests.iter().for_each(|r| *counts.entry((r.volume, r.offset)).or_default() += 1);
    *counts.iter().max_by_key(|row| row.1).unwrap().0
}

#[test]
#[ignore = "long: part of make test-long"]
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
