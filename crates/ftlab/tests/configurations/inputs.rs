//! An input: of a generated workload, or of a trace of which a part is taken.

use crate::drawn::{Answer, Case, expect, one_line, pick, set, value};
use ftlab::Error;
use ftlab::catalog::Catalog;
use ftlab::config::Config;
use ftlab::request::{Op, Request};
use ftlab::rng::Rng;
use ftlab::session::open_input;
use ftlab::trace::TimeUnit;
use serde_json::{Map, Value, json};
use std::fmt::{self, Write};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Requests beyond which an input is looked at no further.
const MOST_REQUESTS: usize = 5_000;

/// A trace of three volumes, and the file that it is in.
static TRACE: LazyLock<(PathBuf, Vec<Request>)> = LazyLock::new(trace);

/// An input that is asked for.
pub struct Asked(Map<String, Value>);

impl Asked {
    pub fn draw(catalog: &Catalog, seed: u64) -> Self {
        let mut rng = Rng::new(seed, "inputs");
        let mut tree = Map::new();
        set(&mut tree, "workload.requests", rng.below(MOST_REQUESTS as u64).into());
        let section = if rng.chance(0.5) { "workload" } else { "input" };
        let rows: Vec<_> =
            catalog.rows().into_iter().filter(|row| row.section == section).collect();
        for _ in 0..rng.below(6) {
            let row = pick(&mut rng, &rows);
            let drawn = match row.key().as_str() {
                "input.format" => pick(&mut rng, &["spc", "msr", "arc", "text"]).into(),
                "input.volume" => rng.below(5).into(),
                "input.skip" | "input.requests" => rng.below(300).into(),
                "input.from" | "input.until" => rng.below(10_000_000_000).into(),
                _ => value(catalog, &row, &mut rng),
            };
            set(&mut tree, &row.key(), drawn);
        }
        if section == "input" {
            let path = TRACE.0.to_str().expect("a name of a temporary file");
            set(&mut tree, "input.trace", path.into());
        }
        Asked(tree)
    }

    /// The requests that are meant, of those of the trace, in the units that are asked for.
    fn meant(config: &Config) -> Vec<Request> {
        let input = &config.input;
        let sector = input.offset_unit.map_or(512, |unit| unit.0);
        let second = match input.time_unit {
            None | Some(TimeUnit::Seconds) => 1_000_000_000,
            Some(TimeUnit::Milliseconds) => 1_000_000,
            Some(TimeUnit::Microseconds) => 1000,
            Some(TimeUnit::Nanoseconds) => 1,
            Some(TimeUnit::Filetime) => 100,
        };
        let in_units = |request: &Request| Request {
            time: (u128::from(request.time) * second / 1_000_000_000) as u64,
            offset: request.offset / 512 * sector,
            ..*request
        };
        let of_volume = |request: &Request| input.volume.is_none_or(|only| request.volume == only);
        let all: Vec<_> = TRACE.1.iter().map(in_units).filter(of_volume).collect();
        let first = all.first().map_or(0, |request| request.time);
        let in_time = |request: &&Request| {
            let time = request.time - first;
            input.from.is_none_or(|from| time >= from.0)
                && input.until.is_none_or(|end| time < end.0)
        };
        let most = input.requests.map_or(usize::MAX, |most| most as usize);
        all.iter().filter(in_time).skip(input.skip as usize).take(most).copied().collect()
    }
}

impl Case for Asked {
    fn run(&self, catalog: &Catalog) -> Result<Answer, String> {
        let resolved = catalog.resolve(&self.0);
        let found = resolved.and_then(|config| Ok((requests(&config)?, config)));
        let (found, config) = match found {
            Ok(found) => found,
            Err(Error::Trace { message, .. }) if !message.contains(char::is_control) => {
                return Ok(Answer::Refused);
            }
            Err(error) => return one_line(&error),
        };
        expect("times that go on", found.is_sorted_by_key(|request| request.time))?;
        if config.input.trace.is_some() {
            let places = |requests: &[Request]| -> Vec<_> {
                requests.iter().map(|r| (r.volume, r.offset, r.length, r.op)).collect()
            };
            let meant = Asked::meant(&config);
            let told = format!("{} requests, found {}", meant.len(), found.len());
            return expect(&told, places(&found) == places(&meant)).map(|()| Answer::Ran);
        }
        let asked = config.workload.requests.map_or(usize::MAX, |asked| asked as usize);
        let told = format!("{asked} requests, found {}", found.len());
        let cut = asked > MOST_REQUESTS && found.len() >= MOST_REQUESTS;
        expect(&told, found.len() == asked || cut)?;
        let space = config.workload.size.map_or(u64::MAX, |size| size.0);
        let inside = |r: &Request| match r.op {
            Op::Flush => r.length == 0,
            _ => r.length > 0 && r.offset + u64::from(r.length) <= space,
        };
        expect("requests of some bytes of the space", found.iter().all(inside))?;
        Ok(Answer::Ran)
    }
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", json!(self.0))
    }
}

/// The first requests of the input.
fn requests(config: &Config) -> Result<Vec<Request>, Error> {
    let mut source = open_input(config)?.open()?;
    let mut requests = Vec::new();
    loop {
        let before = requests.len();
        source.fill(&mut requests)?;
        if requests.len() == before || requests.len() >= MOST_REQUESTS {
            return Ok(requests);
        }
    }
}

fn trace() -> (PathBuf, Vec<Request>) {
    let mut rng = Rng::new(1, "trace");
    let (mut time, mut text) = (0, String::new());
    let one = |_| {
        time += rng.below(100_000_000);
        let (op, letter) = pick(&mut rng, &[(Op::Read, 'R'), (Op::Write, 'W')]);
        let (volume, sector) = (rng.below(3) as u32, rng.below(1 << 20));
        let length = 512 * (1 + rng.below(64)) as u32;
        let (seconds, ns) = (time / 1_000_000_000, time % 1_000_000_000);
        writeln!(text, "{volume},{sector},{length},{letter},{seconds}.{ns:09}").expect("a line");
        Request::new(op, 512 * sector, length).at(time).in_volume(volume)
    };
    let requests = (0..200).map(one).collect();
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("inputs.spc");
    fs::write(&path, text).expect("a file");
    (path, requests)
}
