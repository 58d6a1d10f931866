//! Each profile at full length beside what was published of its trace, as Markdown; fails if one is
//! further away than it may be: `cargo run --release --example profile_table [NAME|MODEL.toml...]`.

use ftlab_traces::workload::model::{Compared, ComparedPoint, Comparison, Curve, Within, compare};
use ftlab_traces::workload::{Model, PROFILES, Profile};
use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

const SEED: u64 = 1;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut names: Vec<String> = std::env::args().skip(1).collect();
    if names.is_empty() {
        names = PROFILES.iter().map(|profile| profile.name.to_owned()).collect();
    }
    let out = &mut io::stdout().lock();
    let mut code = ExitCode::SUCCESS;
    for name in names {
        let file = name.ends_with(".toml");
        let model = if file { Model::load(name.as_ref())? } else { Profile::find(&name)?.model() };
        let comparison = compare(&model, None, SEED)?;
        print(&model, &comparison, out)?;
        if !comparison.holds() {
            writeln!(io::stderr(), "{name}: further away than it may be")?;
            code = ExitCode::FAILURE;
        }
    }
    Ok(code)
}

fn print(model: &Model, comparison: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n## {}\n\n{}.\n", model.name, model.summary)?;
    writeln!(out, "| figure | published | generated | may differ by | source |")?;
    writeln!(out, "|---|---:|---:|---|---|")?;
    for compared in &comparison.figures {
        let Compared { figure, generated, .. } = compared;
        let (name, value, source) = (&figure.name, figure.value, &figure.source);
        writeln!(out, "| {name} | {value} | {generated:.2} | {} | {source} |", told(compared))?;
    }
    let Some(curve) = &model.published.curve else { return Ok(()) };
    print_curve(curve, comparison, out)
}

fn told(compared: &Compared) -> String {
    let verdict = if compared.holds() { "" } else { "**missed:** " };
    match (&compared.figure.aside, compared.within) {
        (Some(reason), _) => format!("not followed: {reason}"),
        (None, Within::Exactly) => format!("{verdict}0"),
        (None, Within::Points(points)) => format!("{verdict}{points} points"),
        (None, Within::Percent(percent)) => format!("{verdict}{percent} %"),
    }
}

fn print_curve(curve: &Curve, comparison: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    let Within::Points(points) = curve.within() else { return Ok(()) };
    writeln!(out, "\n{}; at most {points} points apart.\n", curve.source)?;
    write!(out, "| LRU cache, blocks of {} | miss % published | generated |", curve.block)?;
    writeln!(out, "{}", if curve.overlaid { "" } else { " overlaid |" })?;
    writeln!(out, "|---:|---:|---:|{}", if curve.overlaid { "" } else { "---:|" })?;
    for point in &comparison.curve {
        write!(out, "{}", row("", point))?;
        match curve.overlaid {
            true => writeln!(out)?,
            false => writeln!(out, " {:.1} |", point.overlaid)?,
        }
    }
    for point in &comparison.opt {
        writeln!(out, "{}", row("OPT, ", point))?;
    }
    Ok(())
}

fn row(cache: &str, point: &ComparedPoint) -> String {
    let missed = if point.holds() { "" } else { "**missed** " };
    let ComparedPoint { blocks, published, generated, .. } = point;
    format!("| {cache}{blocks} | {published:.1} | {missed}{generated:.1} |")
}
