//! A guess at the columns of a text that is no known format, for the user to check.

use super::guess;
use super::text::Sample;

/// What each column is called in the files that people have, most telling first.
const NAMES: [(&str, &[&str]); 5] = [
    ("time", &["time", "timestamp", "ts", "when", "date", "arrival"]),
    ("offset", &["offset", "lba", "sector", "lbn", "slba", "address", "addr", "block"]),
    ("length", &["length", "size", "bytes", "len", "nbytes", "sectors", "nlb", "count"]),
    ("op", &["op", "rw", "operation", "type", "iotype", "opcode", "t", "rwbs", "what"]),
    ("volume", VOLUMES),
];

/// What a column of volumes is called.
pub(super) const VOLUMES: &[&str] = &["volume", "disk", "device", "dev", "lun", "vol", "asu"];

/// Names whose values count sectors.
const SECTORS: &[&str] = &["lba", "sector", "lbn", "slba", "sectors", "nlb"];

/// The value of `input.columns` that the header in `sample` suggests.
pub(super) fn columns(sample: &Sample) -> Option<String> {
    named(sample).or_else(|| guess::columns(sample))
}

/// By the names in a header.
fn named(sample: &Sample) -> Option<String> {
    let header = str::from_utf8(sample.first()?).ok()?;
    let between = [(",", ""), (";", "semicolon"), ("\t", "tab"), ("|", "pipe")];
    let (split, separator) = between.into_iter().find(|(text, _)| header.contains(text))?;
    let names: Vec<&str> = header.split(split).map(|name| name.trim_matches(['"', ' '])).collect();
    let mut parts = Vec::new();
    for (what, known) in NAMES {
        let found = known.iter().find_map(|known| {
            names.iter().find(|name| name.eq_ignore_ascii_case(known)).map(|name| (*name, *known))
        });
        match found {
            Some((name, known)) if SECTORS.contains(&known) => {
                parts.push(format!("{what}={name}:sectors"));
            }
            Some((name, _)) => parts.push(format!("{what}={name}")),
            None if what == "op" || what == "volume" => {}
            None => return None,
        }
    }
    if !separator.is_empty() {
        parts.push(format!("separator={separator}"));
    }
    Some(parts.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Columns;
    use crate::trace::stream::Front;

    #[test]
    fn a_header_of_common_names_suggests_the_columns() {
        let suggested =
            |text: &str| columns(&Sample::new(Front { bytes: text.as_bytes(), whole: true }));
        for (header, expected) in [
            ("ts,op,offset,size", Some("time=ts,offset=offset,length=size,op=op")),
            (
                "Disk;Time;RW;LBA;Bytes",
                Some(
                    "time=Time,offset=LBA:sectors,length=Bytes,op=RW,volume=Disk,separator=semicolon",
                ),
            ),
            ("time,offset", None),
            ("1,2,3,4", None),
        ] {
            let found = suggested(header);
            assert_eq!(found.as_deref(), expected, "{header}");
            assert!(found.is_none_or(|text| Columns::try_from(text).is_ok()));
        }
    }
}
