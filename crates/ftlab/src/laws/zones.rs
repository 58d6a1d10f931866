//! Zones answer each command as the standard says: a random walk against a table that is written down here, and shares
//! nothing with the state machine.
//!
//! ```text
//! letter       E empty   I implicitly open   X explicitly open   C closed   F full
//! of a move    A another zone may be active   O another may be open   then the letter of the next state, or !status
//! ```

use super::case::{Case, between, pick};
use crate::rng::Rng;
use crate::zones::{Format, Limits, Namespace, Status, Zone, ZoneCounts, ZoneState};
use std::collections::BTreeMap;

const STATES: &str = "EIXCF";

const MOVES: [(&str, [&str; 5]); 5] = [
    ("open", ["AOX", "X", "X", "OX", "!1bf"]),
    ("close", ["!1bf", "C", "C", "C", "!1bf"]),
    ("finish", ["F", "F", "F", "F", "F"]),
    ("reset", ["E", "E", "E", "E", "E"]),
    ("write", ["AOI", "I", "X", "OI", "!1b9"]),
];

const INVALID_FIELD: u16 = 0x002;
const OUT_OF_RANGE: u16 = 0x080;
const BOUNDARY: u16 = 0x1b8;
const INVALID_WRITE: u16 = 0x1bc;
const TOO_MANY_ACTIVE: u16 = 0x1bd;
const TOO_MANY_OPEN: u16 = 0x1be;

/// Steps of a case.
const STEPS: u32 = 2000;

/// Answers by status; 0 for commands that were not refused.
pub type Answers = BTreeMap<u16, u64>;

/// The table at work.
struct Table {
    format: Format,
    limits: Limits,
    /// State and blocks written, by zone.
    zones: BTreeMap<u64, (char, u64)>,
    /// When each implicitly open zone was opened.
    opened: BTreeMap<u64, u64>,
    time: u64,
    counts: ZoneCounts,
}

impl Table {
    fn new(format: Format, limits: Limits) -> Self {
        let zones = (0..u64::from(format.zones)).map(|zone| (zone, ('E', 0))).collect();
        Table {
            format,
            limits,
            zones,
            opened: BTreeMap::new(),
            time: 0,
            counts: ZoneCounts::default(),
        }
    }

    fn count(&self, states: &str) -> u32 {
        self.zones.values().filter(|(state, _)| states.contains(*state)).count() as u32
    }

    /// What is wrong with an address, before its zone is looked at.
    fn place(&self, address: u64, count: u64) -> Result<(u64, u64), u16> {
        let Format { zones, size, .. } = self.format;
        match u128::from(address) + u128::from(count) {
            _ if count == 0 => Err(INVALID_FIELD),
            end if end > u128::from(zones) * u128::from(size) => Err(OUT_OF_RANGE),
            _ => Ok((address / size, address % size)),
        }
    }

    fn start(&self, address: u64) -> Result<u64, u16> {
        match self.place(address, 1)? {
            (zone, 0) => Ok(zone),
            _ => Err(INVALID_FIELD),
        }
    }

    /// Moves a zone as a line of the table says.
    fn go(&mut self, command: &str, zone: u64) -> Result<(), u16> {
        self.time += 1;
        let (state, written) = self.zones[&zone];
        let column = STATES.find(state).expect("a state");
        let (_, line) = MOVES.iter().find(|(name, _)| *name == command).expect("a command");
        let mut closed = None;
        for letter in line[column].chars() {
            match letter {
                '!' => return Err(u16::from_str_radix(&line[column][1..], 16).expect("hex")),
                'A' if (1..=self.count("IXC")).contains(&self.limits.active) => {
                    return Err(TOO_MANY_ACTIVE);
                }
                'O' => {
                    let open = [self.limits.open, self.limits.active];
                    let most = open.into_iter().find(|limit| *limit > 0);
                    if most.is_none_or(|most| self.count("IX") < most) {
                        continue;
                    }
                    let first = self.opened.iter().min_by_key(|(_, time)| **time);
                    closed = first.map(|(zone, _)| *zone).filter(|_| self.limits.auto_transition);
                    if closed.is_none() {
                        return Err(TOO_MANY_OPEN);
                    }
                }
                _ => {}
            }
        }
        if let Some(closed) = closed {
            self.put(closed, 'C', self.zones[&closed].1);
            self.counts.closed_for_others += 1;
        }
        let next = line[column].chars().last().expect("a state");
        self.counts.opened += u64::from(state == 'E' && "IX".contains(next));
        match command {
            "finish" if state != 'F' => {
                self.counts.finished += 1;
                self.counts.unwritten += self.format.capacity - written;
            }
            "reset" => self.counts.resets += written.min(1),
            _ => {}
        }
        self.put(zone, next, if next == 'E' { 0 } else { written });
        Ok(())
    }

    fn put(&mut self, zone: u64, state: char, written: u64) {
        self.zones.insert(zone, (state, written));
        if state == 'I' {
            self.opened.entry(zone).or_insert(self.time);
        } else {
            self.opened.remove(&zone);
        }
    }

    fn write(&mut self, zone: u64, offset: u64, count: u64) -> Result<(), u16> {
        let (state, written) = self.zones[&zone];
        if state != 'F' && offset != written {
            return Err(INVALID_WRITE);
        }
        if state != 'F' && offset + count > self.format.capacity {
            return Err(BOUNDARY);
        }
        self.go("write", zone)?;
        self.counts.written += count;
        let (state, end) = (self.zones[&zone].0, offset + count);
        self.put(zone, if end == self.format.capacity { 'F' } else { state }, end);
        Ok(())
    }

    fn append(&mut self, address: u64, count: u64) -> Result<u64, u16> {
        let (zone, offset) = self.place(address, count)?;
        if offset != 0 || (1..count).contains(&self.limits.append) {
            return Err(INVALID_FIELD);
        }
        let at = self.zones[&zone].1;
        self.write(zone, at, count)?;
        Ok(address + at)
    }

    fn answer(&mut self, command: &str, address: u64, count: u64) -> Result<u64, u16> {
        match command {
            "read" => match self.place(address, count)? {
                (_, offset) if offset + count > self.format.size => Err(BOUNDARY),
                _ => Ok(0),
            },
            "write" => {
                let (zone, offset) = self.place(address, count)?;
                self.write(zone, offset, count).map(|()| 0)
            }
            "append" => self.append(address, count),
            _ => {
                let zone = self.start(address)?;
                self.go(command, zone).map(|()| 0)
            }
        }
    }

    fn expect(&self, namespace: &Namespace, last: &str) {
        for ((number, (letter, written)), zone) in self.zones.iter().zip(namespace.zones()) {
            let state = match letter {
                'E' => ZoneState::Empty,
                'I' => ZoneState::ImplicitlyOpen,
                'X' => ZoneState::ExplicitlyOpen,
                'C' => ZoneState::Closed,
                _ => ZoneState::Full,
            };
            let expected = Zone { state, written: *written };
            assert_eq!(*zone, expected, "zone {number} after {last}");
        }
        let counted = (namespace.open_zones(), namespace.active_zones());
        assert_eq!(counted, (self.count("IX"), self.count("IXC")), "open and active after {last}");
        assert_eq!(namespace.counts(), self.counts, "counts after {last}");
    }
}

/// Sends random commands, many of them illegal, to a namespace that is drawn from a seed. Returns how often each status
/// was the answer.
///
/// # Panics
/// When an answer, or what it leaves, is not that of the table.
pub fn walk(seed: u64, steps: u32) -> Answers {
    let rng = &mut Rng::new(seed, "walk");
    let size = 4 + rng.below(5);
    let capacity = size - pick(rng, &[0, 0, 1, 3]);
    let format = Format { zones: between(rng, 1, 8), size, capacity };
    let active = between(rng, 0, 5);
    let open = if active > 0 { between(rng, 0, active) } else { between(rng, 0, 4) };
    let append = rng.below(4);
    let limits = Limits { open, active, append, auto_transition: rng.chance(0.7) };
    let mut namespace = Namespace::new(format, limits);
    let mut table = Table::new(format, limits);
    let mut answers = Answers::new();
    for step in 0..steps {
        let commands = ["read", "write", "write", "append", "open", "close", "finish", "reset"];
        let command = pick(rng, &commands);
        let zone = rng.below(u64::from(format.zones));
        let address = match rng.below(20) {
            0 => rng.below(u64::from(format.zones) * size + 2 * size),
            1 => u64::MAX - rng.below(3),
            2..=8 => zone * size,
            _ => zone * size + table.zones[&zone].1 * u64::from(command == "write"),
        };
        let count = pick(rng, &[0, 1, 1, 1, 2, 2, 3, 5, size, u64::MAX]);
        let found = match command {
            "read" => namespace.read(address, count).map(|()| 0),
            "write" => namespace.write(address, count).map(|()| 0),
            "append" => namespace.append(address, count),
            "open" => namespace.open(address).map(|()| 0),
            "close" => namespace.close(address).map(|()| 0),
            "finish" => namespace.finish(address).map(|()| 0),
            _ => namespace.reset(address).map(|()| 0),
        };
        let last =
            format!("step {step}: {command} of {count} at {address}, {limits:?}, {format:?}");
        let expected = table.answer(command, address, count);
        assert_eq!(found.map_err(Status::code), expected, "{last}");
        table.expect(&namespace, &last);
        *answers.entry(expected.err().unwrap_or(0)).or_default() += 1;
    }
    answers
}

/// The walk, for FTLs on zones.
pub fn zones_answer_as_the_standard_says(case: &Case<'_>) {
    let (_, ftl) = case.build().expect("a device that the FTL accepts");
    if ftl.metrics().zones.is_some() {
        walk(case.seed(), STEPS);
    }
}
