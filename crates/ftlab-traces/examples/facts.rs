//! Every figure by which papers describe a trace, of traces, profiles and models at full length:
//! `cargo run --release --example facts TRACE|PROFILE|MODEL.toml...`.

use ftlab_traces::request::Input;
use ftlab_traces::trace::{self, TraceOptions};
use ftlab_traces::workload::model::{FIGURES, Tally};
use ftlab_traces::workload::{Model, PROFILES, Profile};
use std::error::Error;
use std::io::{self, Write};

fn open(name: &str) -> Result<Box<dyn Input>, Box<dyn Error>> {
    if name.ends_with(".toml") {
        return Ok(Model::load(name.as_ref())?.input(None, 1)?);
    }
    if PROFILES.iter().any(|profile| profile.name == name) {
        return Ok(Profile::find(name)?.model().input(None, 1)?);
    }
    Ok(trace::open(name, &TraceOptions::default())?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let out = &mut io::stdout().lock();
    for name in std::env::args().skip(1) {
        let mut source = open(&name)?.open()?;
        let (mut tally, mut batch) = (Tally::default(), Vec::new());
        loop {
            batch.clear();
            source.fill(&mut batch)?;
            if batch.is_empty() {
                break;
            }
            batch.iter().try_for_each(|request| tally.add(request))?;
        }
        writeln!(out, "# {name}")?;
        let figures = tally.finish();
        for kind in FIGURES {
            writeln!(out, "{} = {:.3}", kind.name, kind.value(&figures))?;
        }
    }
    Ok(())
}
