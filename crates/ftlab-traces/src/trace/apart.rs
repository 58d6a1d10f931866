//! Which column of a table has the volumes. Read as one, they would lie over each other.

use super::called::{self, At, Named};
use super::counted::Name;
use super::csv;
use super::guess;
use super::number;
use super::suggest::{self, Places, Table};
use std::collections::BTreeMap;

/// A column that counts more has no volumes.
const MOST_VOLUMES: u64 = 1 << 16;

/// Columns called volumes that are looked at.
const MOST_NAMED: usize = 8;

/// Rows from which on a column whose values all differ has no volumes.
const MANY_ROWS: usize = 10;

/// How devices of Linux begin: those with a letter or two behind, and those with a number.
const DEVICES: [&str; 4] = ["sd", "hd", "vd", "xvd"];
const NUMBERED: [&str; 8] = ["nvme", "dm-", "md", "loop", "mmcblk", "nbd", "rbd", "zram"];

/// The major numbers of SCSI disks, of virtual, mapped and NVMe devices.
const MAJORS: [u64; 20] =
    [8, 65, 66, 67, 68, 69, 70, 71, 128, 129, 130, 131, 132, 133, 134, 135, 252, 253, 254, 259];
const MOST_MINORS: u64 = 1 << 10;

/// Where the volumes are.
pub(super) enum Apart<'a> {
    /// In no column that is known.
    Unknown,
    By(At<'a>),
    /// In some of these, or none.
    Perhaps(Vec<At<'a>>),
}

/// The column of volumes. `own` has the names of all columns in the format that the table resembles.
pub(super) fn apart<'a>(table: &Table<'a>, places: &Places<'a>, own: &[&str]) -> Apart<'a> {
    let named = Named { header: places.header.clone(), ..Named::default() };
    let free: Vec<usize> = (0..table.width()).filter(|at| !places.reads(*at)).collect();
    let names = if own.is_empty() { &places.header } else { own };
    let is_many =
        |at: &usize| !own.is_empty() && table.rows.len() >= MANY_ROWS && !repeats(table, *at);
    let volumes = called_so(names, &free, places.offset.0);
    let volumes: Vec<usize> = volumes.into_iter().filter(|at| !is_many(at)).collect();
    let is_id =
        |at: &usize| own.is_empty() && Name::at(names, *at).whole == "id" && has_few(table, *at);
    if !volumes.is_empty() {
        return match settling(table, names, &volumes) {
            Some(at) => Apart::By(named.at(at)),
            None => Apart::Perhaps(volumes.into_iter().map(|at| named.at(at)).collect()),
        };
    }
    // `0,12` is a device or a number with a decimal comma.
    let has_points = suggest::points(table, places).is_none();
    if let Some(at) = free.iter().find(|at| has_points && has_devices(table, **at)) {
        return Apart::By(named.at(*at));
    }
    let length = places.length.0;
    let may = |at: &usize| {
        let is_length = settles(table, *at, length) && settles(table, length, *at);
        names.is_empty() && has_few(table, *at) && !is_length || is_id(at)
    };
    let perhaps: Vec<At> = free.into_iter().filter(may).map(|at| named.at(at)).collect();
    if perhaps.is_empty() { Apart::Unknown } else { Apart::Perhaps(perhaps) }
}

/// The columns among `free` that are called volumes. Files lie side by side at the addresses of their disk.
fn called_so(names: &[&str], free: &[usize], offset: usize) -> Vec<usize> {
    let is_of_disk = Name::at(names, offset).is_of_disk();
    let is_volume = |at: &usize| {
        let name = Name::at(names, *at);
        called::is_volume(&name) && !(is_of_disk && name.base.starts_with("file"))
    };
    free.iter().copied().filter(is_volume).take(MOST_NAMED).collect()
}

/// The column, a disk if there is one, that has each value with one value of the other columns.
fn settling(table: &Table, names: &[&str], volumes: &[usize]) -> Option<usize> {
    let is_disk = |at: &usize| called::is_disk(&Name::at(names, *at));
    let has_disk = volumes.iter().any(is_disk);
    let mut among = volumes.iter().copied().filter(|at| !has_disk || is_disk(at));
    // The last one, such as the minor number, is a part of those before.
    among.rfind(|at| volumes.iter().all(|other| settles(table, *at, *other)))
}

/// Whether each value of a column comes with one value of another.
fn settles(table: &Table, at: usize, other: usize) -> bool {
    let mut known = BTreeMap::new();
    table.rows.iter().all(|row| *known.entry(row[at]).or_insert(row[other]) == row[other])
}

fn repeats(table: &Table, at: usize) -> bool {
    table.distinct(at).len() < table.rows.len()
}

/// Whether all values are devices. One alone may be followed by others.
fn has_devices(table: &Table, at: usize) -> bool {
    let is_number = || table.numbers(at).is_some_and(|numbers| are_devices(&numbers));
    !table.rows.is_empty() && (table.column(at).into_iter().all(is_device) || is_number())
}

/// Whether all numbers are those of Linux for devices of block storage, as `bpftrace` prints `args.dev`: the major number
/// in front of 20 bits of the minor one.
pub(super) fn are_devices(numbers: &[u64]) -> bool {
    let is_device =
        |number: &u64| MAJORS.contains(&(number >> 20)) && number & 0xf_ffff < MOST_MINORS;
    !numbers.is_empty() && numbers.iter().all(is_device)
}

/// A device of Linux, its major and minor number, or a drive of Windows.
pub(super) fn is_device(value: &str) -> bool {
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let letters = |rest: &str| {
        let letters = rest.trim_end_matches(|c: char| c.is_ascii_digit());
        matches!(letters.len(), 1 | 2) && letters.bytes().all(|b| b.is_ascii_lowercase())
    };
    let begins = |names: &[&str], is: &dyn Fn(&str) -> bool| {
        names.iter().any(|name| value.strip_prefix(name).is_some_and(is))
    };
    value.starts_with("/dev/")
        || begins(&DEVICES, &letters)
        || begins(&NUMBERED, &|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        || value.split_once([',', ':']).is_some_and(|(a, b)| is_digits(a) && is_digits(b))
        || matches!(value.as_bytes(), [b'A'..=b'Z', b':'])
}

/// Whether a column has few values again and again, all of them small numbers or all names.
fn has_few(table: &Table, at: usize) -> bool {
    let values = table.distinct(at);
    let small = |value: &&str| {
        number::integer(value.as_bytes()).is_some_and(|number| number < MOST_VOLUMES)
    };
    let name = |value: &&str| {
        value.starts_with(char::is_alphabetic)
            && !csv::is_missing(value.as_bytes())
            && csv::usual(value.as_bytes()).is_none()
            && !guess::ACTIONS.contains(value)
    };
    values.len() > 1
        && values.len() * 2 <= table.rows.len()
        && (values.iter().all(small) || values.iter().all(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_told_from_other_names() {
        for device in ["sda", "sdb1", "nvme0n1", "dm-0", "/dev/x", "8,16", "259:0", "C:", "md127"] {
            assert!(is_device(device), "{device}");
        }
        for other in ["", "read", "sdparm", "md", "09:00:00", "1.5", "7", "c", "8:", "loop"] {
            assert!(!is_device(other), "{other}");
        }
    }
}
