//! A model as the text of its file, with a word on every key.

use super::file::{Model, Part, Reuse, Runs, Sizes, Space, Volume};
use crate::math::log10;
use crate::units::Bytes;
use std::fmt::{self, Display, Write};

/// Significant digits of a number: more would be noise.
const DIGITS: i32 = 5;

impl Display for Model {
    /// The text that [`Model::parse`] reads back. Published figures are not written: a model with
    /// some was written by hand.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "# A workload model of ftlab: `ftlab trace generate`, or run it as a trace.")?;
        writeln!(f, "name = {}", quoted(&self.name))?;
        writeln!(f, "summary = {}", quoted(&self.summary))?;
        writeln!(f, "source = {}", quoted(&self.source))?;
        if let Some(nearness) = &self.nearness {
            writeln!(f, "nearness = {}", quoted(nearness))?;
        }
        writeln!(f, "\n# Where each number comes from, key by key.\n[origin]")?;
        for (key, origin) in &self.origin {
            writeln!(f, "{} = {}", quoted(key), quoted(origin))?;
        }
        let length = &self.length;
        writeln!(f, "\n# The full length: counts are exact there.\n[length]")?;
        writeln!(f, "reads = {}\nwrites = {}", length.reads, length.writes)?;
        writeln!(f, "duration = {}  # ns", length.duration.0)?;
        self.write_arrivals(f)?;
        for (law, part) in self.laws().zip(std::iter::once(None).chain(self.parts.iter().map(Some)))
        {
            if let Some(part) = part {
                write_head(part, f)?;
            }
            let table = if part.is_some() { "parts." } else { "" };
            write_sizes(law.sizes, table, f)?;
            write_runs(law.runs, table, f)?;
            write_reuse(law.reuse, table, f)?;
            write_space(law.space, table, f)?;
        }
        Ok(())
    }
}

impl Model {
    fn write_arrivals(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let gaps = &self.arrivals;
        writeln!(f, "\n# [gap in ns, share of the gaps other than 0 up to it].\n[arrivals]")?;
        writeln!(f, "together = {}\nburst = {}", number(gaps.together), number(gaps.burst))?;
        list(f, "gaps", &gaps.gaps, |(gap, share)| format!("[{}, {}]", gap.0, number(*share)))
    }
}

fn write_head(part: &Part, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    writeln!(f, "\n# Requests with a law of their own.\n[[parts]]")?;
    writeln!(f, "name = {}\nshare = {}", quoted(&part.name), number(part.share))?;
    for (key, value) in [("episode", part.episode), ("density", part.density)] {
        optional(f, key, value)?;
    }
    Ok(())
}

fn write_sizes(sizes: &Sizes, table: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    writeln!(f, "\n# [bytes, weight].\n[{table}sizes]")?;
    optional(f, "kept", sizes.kept)?;
    write_mix(f, "read", &sizes.read)?;
    write_mix(f, "write", &sizes.write)
}

fn write_mix(f: &mut fmt::Formatter<'_>, key: &str, mix: &[(Bytes, f64)]) -> fmt::Result {
    list(f, key, mix, |(size, weight)| format!("[{}, {}]", size.0, number(*weight)))
}

fn write_runs(runs: &Runs, table: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    writeln!(f, "\n# Requests that start where an earlier one of their volume ended.")?;
    writeln!(f, "[{table}runs]\nshare = {}\nkept = {}", number(runs.share), number(runs.kept))?;
    optional(f, "again", runs.again)?;
    optional(f, "mean", runs.mean)?;
    optional(f, "same_op", runs.same_op)?;
    optional(f, "writes", runs.writes)?;
    optional(f, "fresh", runs.fresh)?;
    if runs.around {
        writeln!(f, "around = true")?;
    }
    writeln!(f, "streams = {}", bracketed(&runs.streams))?;
    write_mix(f, "read", &runs.read)?;
    write_mix(f, "write", &runs.write)
}

fn write_reuse(reuse: &Reuse, table: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    writeln!(f, "\n# Places used again: [other places used since, share at least that deep,")?;
    writeln!(f, "# written before, writes at the others, writes at those written before].")?;
    writeln!(f, "[{table}reuse]\ninside = {}", number(reuse.inside))?;
    optional(f, "follow", Some(reuse.follow).filter(|share| *share > 0.0))?;
    if reuse.lasting > 0.0 {
        writeln!(f, "lasting = {}\nchunk = {}", number(reuse.lasting), number(reuse.chunk))?;
    }
    list(f, "distances", &reuse.distances, |row| bracketed(row))?;
    write_mix(f, "places", &reuse.places)?;
    write_mix(f, "read", &reuse.read)?;
    write_mix(f, "write", &reuse.write)
}

fn write_space(space: &Space, table: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    writeln!(f, "\n# New places, in regions of 4 MiB: [other regions used since, share at")?;
    writeln!(f, "# least that deep].\n[{table}space]")?;
    optional(f, "writes", space.writes)?;
    writeln!(f, "next_region = {}", number(space.next_region))?;
    writeln!(f, "adjacent = {}", number(space.adjacent))?;
    optional(f, "fresh", Some(space.fresh).filter(|share| *share > 0.0))?;
    writeln!(f, "slot = \"{}\"", space.slot)?;
    writeln!(f, "sectors = {}", bracketed(&space.sectors))?;
    list(f, "regions", &space.regions, |row| bracketed(row))?;
    list(f, "volumes", &space.volumes, volume)
}

/// A key and its number; nothing for none.
fn optional(f: &mut fmt::Formatter<'_>, key: &str, value: Option<f64>) -> fmt::Result {
    value.map_or(Ok(()), |value| writeln!(f, "{key} = {}", number(value)))
}

fn volume(volume: &Volume) -> String {
    let (weight, writes) = (number(volume.weight), number(volume.writes));
    let mut text = format!("{{ weight = {weight}, writes = {writes}, size = \"{}\"", volume.size);
    let runs = volume.runs.map(|runs| ("runs", number(runs)));
    let first = volume.first.map(|first| ("first", format!("\"{first}\"")));
    let count = volume.count.map(|count| ("count", count.to_string()));
    let own = volume.number.map(|own| ("number", own.to_string()));
    let untouched = Some(volume.untouched).filter(|share| *share > 0.0);
    let untouched = untouched.map(|share| ("untouched", number(share)));
    for (key, value) in [runs, first, count, own, untouched].into_iter().flatten() {
        // Writing to a text does not fail.
        let _ = write!(text, ", {key} = {value}");
    }
    text + " }"
}

/// A key with one item on each line; nothing for none.
fn list<T>(
    f: &mut fmt::Formatter<'_>,
    key: &str,
    items: &[T],
    told: impl Fn(&T) -> String,
) -> fmt::Result {
    if items.is_empty() {
        return Ok(());
    }
    writeln!(f, "{key} = [")?;
    for item in items {
        writeln!(f, "  {},", told(item))?;
    }
    writeln!(f, "]")
}

fn bracketed(numbers: &[f64]) -> String {
    let numbers: Vec<String> = numbers.iter().map(|value| number(*value)).collect();
    format!("[{}]", numbers.join(", "))
}

/// A number with [`DIGITS`] digits that count, or all digits of a whole one.
fn number(value: f64) -> String {
    if value == 0.0 || value.fract() == 0.0 {
        return format!("{value}");
    }
    let decimals = (DIGITS - 1 - log10(value.abs()).floor() as i32).clamp(0, 12);
    let text = format!("{value:.*}", decimals as usize);
    if !text.contains('.') {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A text between quotation marks, as TOML wants it.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}
