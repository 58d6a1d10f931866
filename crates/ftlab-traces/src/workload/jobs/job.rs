//! A job with nothing left open: what its section says, in plain numbers.

use super::keys::Key;
use super::laws::Law;
use super::scheme::Scheme;
use super::text::{MOST_JOBS, Section, Value};
use super::value::{self, Amount, Told};
use crate::request::{LONGEST_REQUEST_BYTES, Lifetime, Op};
use crate::units::Nanos;
use crate::workload::handles::{HandleSelect, Handles};
use std::path::Path;
use std::sync::Arc;

/// Requests that a job keeps in flight, and the weight of a flow, at most.
const MOST_DEPTH: u64 = 65_536;

/// Handles of a job at most, as in fio.
const MOST_HANDLES: usize = 128;

/// Where the addresses of a job end at most.
const END: u64 = 1 << 52;

/// The directions in fio's order: reads, writes and trims.
pub(super) const DIRECTIONS: [Op; 3] = [Op::Read, Op::Write, Op::Trim];

/// What a job knows of the world.
pub(super) struct World<'a> {
    /// Bytes of the device, if that is set.
    pub(super) capacity: Option<u64>,
    /// The folder of the job file.
    pub(super) folder: &'a Path,
}

/// What the requests of a job do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Work {
    /// One thing: the number of a direction.
    Only(usize),
    /// Reads with this probability, and writes.
    Mix(f64),
    /// Each place is trimmed and then written.
    TrimWrite,
}

impl Work {
    /// The directions that it uses; of a trim with a write behind it, the write.
    pub(super) fn directions(self) -> &'static [usize] {
        match self {
            Work::Only(0) => &[0],
            Work::Only(2) => &[2],
            Work::Mix(_) => &[0, 1],
            Work::Only(_) | Work::TrimWrite => &[1],
        }
    }
}

/// How one place follows from another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Steps {
    /// Each place is new.
    New,
    /// N requests follow each other from a random place.
    Runs(u64),
    /// N requests go to a random place.
    Again(u64),
    /// A request goes to a random place with this probability, and goes on otherwise.
    Share(f64),
    /// Sequential, with N bytes left out behind each request.
    Sequential(u64),
}

/// Lengths of requests.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Sizes {
    /// Lengths with weights.
    Table(Vec<(u32, f64)>),
    /// Multiples of the first number, and the second.
    Range(u32, u32),
}

impl Sizes {
    /// Lengths with weights, each rounded down to a multiple of the smallest one, as fio does.
    fn table(mut table: Vec<(u32, f64)>) -> Self {
        let least = table.iter().map(|(size, _)| *size).min().unwrap_or(1);
        table.iter_mut().for_each(|(size, _)| *size -= *size % least);
        Sizes::Table(table)
    }

    pub(super) fn least(&self) -> u64 {
        u64::from(match self {
            Sizes::Table(table) => table.iter().map(|(size, _)| *size).min().unwrap_or(1),
            Sizes::Range(least, _) => *least,
        })
    }
}

/// When requests come.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Pace {
    /// When others are done: turns are in proportion to this weight.
    Turns(u64),
    /// By a clock.
    Clock(Clocked),
}

/// A pace by a clock.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Clocked {
    /// Bytes per second of each direction, if it is held to a rate.
    pub(super) rate: [Option<u64>; 3],
    /// Whether gaps are exponentially distributed.
    pub(super) poisson: bool,
    /// A pause, and the requests between two of them.
    pub(super) think: (Nanos, u64),
    /// When it begins, after those before it.
    pub(super) delay: Nanos,
    /// How long it lasts.
    pub(super) runtime: Option<Nanos>,
}

/// A job.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub(super) work: Work,
    pub(super) steps: Steps,
    /// By direction.
    pub(super) sizes: [Sizes; 3],
    pub(super) align: [u64; 3],
    pub(super) law: [Law; 3],
    /// Whether each block is used once in a pass.
    pub(super) map: bool,
    /// Whether each pass draws the same again, as fio's passes do.
    pub(super) repeats: bool,
    /// First byte and bytes of the space.
    pub(super) start: u64,
    pub(super) length: u64,
    /// Passes over the space at most.
    pub(super) passes: Option<u64>,
    /// The job ends with these bytes, or with this number of requests.
    pub(super) bytes: Option<u64>,
    pub(super) requests: Option<u64>,
    pub(super) pace: Pace,
    pub(super) fsync: Option<u64>,
    pub(super) handles: Vec<u16>,
    pub(super) select: HandleSelect,
    pub(super) scheme: Option<Arc<Scheme>>,
    pub(super) lifetime: Lifetime,
    pub(super) seed: u64,
    /// Clones, and the bytes between their starts.
    pub(super) clones: u64,
    pub(super) increment: u64,
    /// The file that it uses; its own if it names none.
    pub(super) file: Option<String>,
    /// Whether it waits for the jobs before it.
    pub(super) waits: bool,
    /// The line to name if the job does not end.
    pub(super) line: u64,
    pub(super) name: String,
}

impl Job {
    /// Whether it ends by itself.
    pub(super) fn ends(&self) -> bool {
        let by_clock = matches!(&self.pace, Pace::Clock(clock) if clock.runtime.is_some());
        self.bytes.is_some() || self.requests.is_some() || by_clock
    }

    pub(super) fn of(section: &Section, world: &World<'_>) -> Result<Self, Told> {
        Reader::new(section)?.job(world)
    }
}

/// The values of a section.
struct Reader<'a> {
    section: &'a Section,
    kb_base: u64,
}

impl<'a> Reader<'a> {
    fn new(section: &'a Section) -> Result<Self, Told> {
        let reader = Self { section, kb_base: 1024 };
        let kb_base =
            reader.one_of(Key::KbBase, &[("1024", 1024), ("1000", 1000)])?.unwrap_or(1024);
        Ok(Self { section, kb_base })
    }

    fn get(&self, key: Key) -> Option<&'a Value> {
        self.section.values.get(&key)
    }

    fn wrong(&self, key: Key, expected: &str) -> Told {
        let value =
            self.get(key).cloned().unwrap_or(Value { text: "".into(), line: self.section.line });
        let hint = match value.text.contains('$') {
            true => "; variables are not replaced",
            false => "",
        };
        let Value { text, line } = value;
        Told::at(line, format!("{}: found {text:?}, expected {expected}{hint}", key.name()))
    }

    /// The value of `key`, if it is there, as `read` understands it.
    fn read<T>(
        &self,
        key: Key,
        expected: &str,
        read: impl Fn(&'a str) -> Option<T>,
    ) -> Result<Option<T>, Told> {
        let value = self.get(key);
        value.map(|value| read(&value.text).ok_or_else(|| self.wrong(key, expected))).transpose()
    }

    fn one_of<T: Copy>(&self, key: Key, values: &[(&str, T)]) -> Result<Option<T>, Told> {
        let names: Vec<&str> = values.iter().map(|(name, _)| *name).collect();
        let find =
            |text: &str| values.iter().find(|(name, _)| *name == text).map(|(_, value)| *value);
        self.read(key, &names.join(", "), find)
    }

    /// A word alone says yes.
    fn flag(&self, key: Key) -> Result<bool, Told> {
        Ok(self.one_of(key, &[("", true), ("1", true), ("0", false)])?.unwrap_or(false))
    }

    fn number(&self, key: Key, most: u64) -> Result<Option<u64>, Told> {
        let number = |text: &str| value::number(text, self.kb_base).filter(|found| *found <= most);
        self.read(key, &format!("a whole number up to {most}"), number)
    }

    /// A whole number from 1 on.
    fn count(&self, key: Key, most: u64) -> Result<Option<u64>, Told> {
        match self.number(key, most)? {
            Some(0) => Err(self.wrong(key, "at least 1")),
            other => Ok(other),
        }
    }

    fn time(&self, key: Key, unit: Nanos) -> Result<Option<Nanos>, Told> {
        let century = 3_156_000_000_000_000_000;
        self.read(key, "a time such as 10s", |text| {
            value::time(text, unit).filter(|time| *time < century)
        })
    }

    /// An amount; a percentage is of `whole`, which is what `of` names.
    fn amount(&self, key: Key, whole: Option<u64>, of: &str) -> Result<Option<u64>, Told> {
        let Some(found) =
            self.read(key, "a size or a percentage", |text| value::amount(text, self.kb_base))?
        else {
            return Ok(None);
        };
        let bytes = match (found, whole) {
            (Amount::Bytes(bytes), _) => bytes,
            (Amount::Percent(share), Some(whole)) => {
                (u128::from(whole) * u128::from(share) / 100) as u64
            }
            (Amount::Percent(_), None) => return Err(self.wrong(key, of)),
        };
        if bytes > END { Err(self.wrong(key, "at most 4 PiB")) } else { Ok(Some(bytes)) }
    }

    fn is_percentage(&self, key: Key) -> bool {
        self.get(key).is_some_and(|value| value.text.ends_with('%'))
    }

    /// What `read` makes of the values for each direction.
    fn directions<T>(
        &self,
        key: Key,
        expected: &str,
        read: impl Fn(&'a str) -> Option<T>,
    ) -> Result<[Option<T>; 3], Told> {
        let Some(value) = self.get(key) else { return Ok([None, None, None]) };
        let texts =
            value::by_direction(&value.text).ok_or_else(|| self.wrong(key, "at most 3 values"))?;
        let of = |text: Option<&'a str>| {
            text.map(|text| read(text).ok_or_else(|| self.wrong(key, expected))).transpose()
        };
        Ok([of(texts[0])?, of(texts[1])?, of(texts[2])?])
    }

    fn size(&self, text: &str) -> Option<u32> {
        let size = value::number(text, self.kb_base)?;
        (1..=LONGEST_REQUEST_BYTES).contains(&size).then_some(size as u32)
    }

    /// The lengths of each direction, and the boundaries on which requests start.
    fn sizes(&self) -> Result<([Sizes; 3], [u64; 3]), Told> {
        let expected = "sizes from 1 to 1 GiB";
        let plain = self.directions(Key::Bs, expected, |text| self.size(text))?;
        let range = self.directions(Key::BsRange, "MIN-MAX", |text| {
            let (least, most) = text.split_once(['-', ':'])?;
            let (least, most) = (self.size(least)?, self.size(most)?);
            Some(Sizes::Range(least.min(most), least.max(most)))
        })?;
        let split = self.directions(Key::BsSplit, "SIZE/PERCENT:.. with a sum of 100", |text| {
            value::shares(text, |size| self.size(size)).map(Sizes::table)
        })?;
        let mut all = [0, 1, 2].map(|at| Sizes::Table(vec![(plain[at].unwrap_or(4096), 1.0)]));
        for (at, one) in range.into_iter().enumerate().chain(split.into_iter().enumerate()) {
            if let Some(one) = one {
                all[at] = one;
            }
        }
        let align = self.directions(Key::BlockAlign, expected, |text| self.size(text))?;
        let align = [0, 1, 2].map(|at| align[at].map_or(all[at].least(), u64::from));
        Ok((all, align))
    }

    /// What is done, whether at random, and the number behind the pattern.
    fn pattern(&self) -> Result<(Work, bool, Option<u64>), Told> {
        let value = self.get(Key::Rw).map_or("read", |value| &*value.text);
        let (name, number) = match value.split_once(':') {
            Some((name, number)) => (name, Some(number)),
            None => (value, None),
        };
        let number = number
            .map(|text| value::number(text, self.kb_base).filter(|number| *number > 0))
            .map(|number| {
                number.ok_or_else(|| self.wrong(Key::Rw, "a whole number behind the colon"))
            })
            .transpose()?;
        let (random, work) = match name.strip_prefix("rand") {
            Some(work) => (true, work),
            None => (false, name),
        };
        let work = match (work, random) {
            ("read", _) => Work::Only(0),
            ("write", _) => Work::Only(1),
            ("trim", _) => Work::Only(2),
            ("rw", _) | ("readwrite", false) => match self.share_of_reads()? {
                0.0 => Work::Only(1),
                1.0 => Work::Only(0),
                share => Work::Mix(share),
            },
            ("trimwrite", _) => Work::TrimWrite,
            _ => {
                let expected =
                    "read, write, trim, rw, trimwrite, or one of these with rand before it";
                return Err(self.wrong(Key::Rw, expected));
            }
        };
        Ok((work, random, number))
    }

    /// Of the two keys the later one counts, as fio has it.
    fn share_of_reads(&self) -> Result<f64, Told> {
        let read = self.number(Key::MixRead, 100)?;
        let write = self.number(Key::MixWrite, 100)?.map(|share| 100 - share);
        let line = |key| self.get(key).map(|value| value.line);
        let share =
            if line(Key::MixWrite) > line(Key::MixRead) { write.or(read) } else { read.or(write) };
        Ok(share.unwrap_or(50) as f64 / 100.0)
    }

    /// fio seeds its generators anew at the end of a space, unless it is told not to, or with what.
    fn repeats(&self) -> Result<bool, Told> {
        let repeats = self.one_of(Key::RandRepeat, &[("", true), ("1", true), ("0", false)])?;
        Ok(repeats.unwrap_or(true) && self.get(Key::RandSeed).is_none())
    }

    fn steps(&self, random: bool, number: Option<u64>) -> Result<Steps, Told> {
        if !random {
            return Ok(Steps::Sequential(number.unwrap_or(0)));
        }
        let again = self.one_of(Key::RwSequencer, &[("sequential", false), ("identical", true)])?;
        let share = self.number(Key::PercentageRandom, 100)?;
        Ok(match (number, again, share) {
            (Some(_), _, Some(_)) => {
                return Err(self.wrong(Key::PercentageRandom, "no number behind rw="));
            }
            (Some(number), Some(true), None) => Steps::Again(number),
            (Some(number), _, None) => Steps::Runs(number),
            (None, _, Some(share)) if share < 100 => Steps::Share(share as f64 / 100.0),
            _ => Steps::New,
        })
    }

    /// The space, in which there is room for a request of `most` bytes.
    fn space(&self, world: &World<'_>, least: u64, most: u64) -> Result<Space, Told> {
        let of = "a size, or device.capacity for a percentage of it (--capacity)";
        let mut start = self.amount(Key::Offset, world.capacity, of)?.unwrap_or(0);
        if self.is_percentage(Key::Offset) {
            start = start.next_multiple_of(least);
        }
        let size = self.amount(Key::Size, world.capacity, of)?.filter(|size| *size > 0);
        let file = self.amount(Key::FileSize, world.capacity, of)?;
        let whole = match (file, size) {
            (Some(file), _) => Some(file.saturating_sub(start)),
            (None, Some(size)) => Some(size),
            (None, None) => world.capacity.map(|capacity| capacity.saturating_sub(start)),
        };
        let Some(whole) = whole else {
            let told =
                format!("job {:?}: found no size, expected one, or --capacity", self.section.name);
            return Err(Told::at(self.section.line, told));
        };
        let length = whole / least * least;
        if length < most {
            let told = format!(
                "job {:?}: found a space of {whole} B, expected room for a request of {most} B",
                self.section.name
            );
            return Err(Told::at(self.section.line, told));
        }
        let usual = file.and(size).map_or(length, |size| size / least * least);
        let asked = self
            .amount(Key::IoSize, Some(length), "a size or a percentage")?
            .filter(|size| *size > 0);
        let loops = self.count(Key::Loops, 1 << 20)?.unwrap_or(1);
        let bytes = asked.unwrap_or(usual).saturating_mul(loops);
        Ok(Space { start, length, bytes, passes: asked.is_none().then_some(loops) })
    }

    fn pace(&self, work: Work, sizes: &[Sizes; 3]) -> Result<Pace, Told> {
        let rate = |text: &str| {
            value::number(text, self.kb_base).filter(|rate| (1..1 << 50).contains(rate))
        };
        let mut rates = self.directions(Key::Rate, "bytes per second", rate)?;
        let iops = self.directions(Key::RateIops, "requests per second", |text| {
            rate(text).filter(|rate| *rate <= 1 << 30)
        })?;
        for (at, iops) in iops.into_iter().enumerate() {
            if let Some(iops) = iops {
                rates[at] = Some(iops * sizes[at].least());
            }
        }
        // A rate of what is not done moves no clock.
        for at in (0..3).filter(|at| !work.directions().contains(at)) {
            rates[at] = None;
        }
        let blocks = self.count(Key::ThinkBlocks, 1 << 40)?.unwrap_or(1);
        let think = self.time(Key::ThinkTime, 1_000)?.unwrap_or(0);
        let poisson = self.one_of(Key::RateProcess, &[("linear", false), ("poisson", true)])?;
        let delay = self.time(Key::StartDelay, 1_000_000_000)?.unwrap_or(0);
        let ramp = self.time(Key::RampTime, 1_000_000_000)?.unwrap_or(0);
        let runtime = self.time(Key::Runtime, 1_000_000_000)?.filter(|time| *time > 0);
        let depth = self.count(Key::Depth, MOST_DEPTH)?.unwrap_or(1);
        let flow = self.count(Key::Flow, MOST_DEPTH)?;
        if think == 0 && rates.iter().all(Option::is_none) {
            return match delay {
                0 => Ok(Pace::Turns(flow.unwrap_or(depth))),
                _ => Err(self.wrong(
                    Key::StartDelay,
                    "a rate or thinktime, too, as time goes on with these alone",
                )),
            };
        }
        Ok(Pace::Clock(Clocked {
            rate: rates,
            poisson: poisson.unwrap_or(false),
            think: (think, blocks),
            delay,
            runtime: runtime.map(|time| time.saturating_add(ramp)),
        }))
    }

    fn placed(&self, world: &World<'_>) -> Result<Placed, Told> {
        let placed =
            self.one_of(Key::DataPlacement, &[("none", false), ("fdp", true), ("streams", true)])?;
        let placed = placed.unwrap_or(false) || self.flag(Key::Fdp)?;
        let list = self.read(Key::Plids, "up to 128 handles such as 0,2-5", |text| {
            Handles::parse(text).filter(|handles| handles.list().len() <= MOST_HANDLES)
        })?;
        let select = self.one_of(
            Key::PlidSelect,
            &[
                ("roundrobin", Some(HandleSelect::RoundRobin)),
                ("random", Some(HandleSelect::Random)),
                ("scheme", None),
            ],
        )?;
        let scheme = self.get(Key::Scheme);
        let scheme = match (select, scheme) {
            (Some(None), Some(file)) => {
                let path = world.folder.join(&*file.text);
                Some(Arc::new(
                    Scheme::read(&path, self.kb_base).map_err(|told| Told::at(file.line, told))?,
                ))
            }
            (Some(None), None) => return Err(self.wrong(Key::PlidSelect, "dp_scheme=FILE with it")),
            (_, Some(_)) => return Err(self.wrong(Key::Scheme, "plid_select=scheme with it")),
            (_, None) => None,
        };
        let select = select.flatten().unwrap_or(HandleSelect::RoundRobin);
        match (placed, list) {
            (true, Some(list)) => Ok(Placed { handles: list.list().to_vec(), select, scheme }),
            (true, None) => {
                let key = if self.get(Key::DataPlacement).is_some() {
                    Key::DataPlacement
                } else {
                    Key::Fdp
                };
                Err(self.wrong(
                    key,
                    "plids, too, as a simulated device has as many handles as you like",
                ))
            }
            (false, Some(_))
                if self.get(Key::DataPlacement).is_none() && self.get(Key::Fdp).is_none() =>
            {
                Err(self.wrong(Key::Plids, "fdp=1 or dataplacement with it, as fio does"))
            }
            (false, _) => Ok(Placed { handles: Vec::new(), select, scheme: None }),
        }
    }

    /// How each direction draws its addresses, and whether a map sees that each block is used once.
    fn law(
        &self,
        work: Work,
        random: bool,
        sizes: &[Sizes; 3],
        length: u64,
    ) -> Result<([Law; 3], bool), Told> {
        let used = work.directions();
        let parse = |text: &str| Law::parse(text, self.kb_base);
        let law = self.directions(Key::Distribution, Law::EXPECTED, parse)?;
        let law = law.map(|law| law.unwrap_or(Law::Uniform));
        if let Some(told) = used.iter().find_map(|at| law[*at].beyond(length)) {
            return Err(self.wrong(Key::Distribution, &told));
        }
        let is_uniform = used.iter().all(|at| law[*at] == Law::Uniform);
        let is_free = self.flag(Key::NoRandomMap)? || self.get(Key::BlockAlign).is_some();
        let map = random && is_uniform && !is_free;
        if map && used.iter().any(|at| sizes[*at] != sizes[used[0]]) {
            let key = if self.get(Key::BsSplit).is_some() { Key::BsSplit } else { Key::Bs };
            let expected =
                "norandommap where reads and writes differ in size; with its map fio ends early";
            return Err(self.wrong(key, expected));
        }
        Ok((law, map))
    }

    fn fsync(&self) -> Result<Option<u64>, Told> {
        let (fsync, datasync) =
            (self.number(Key::Fsync, 1 << 40)?, self.number(Key::Fdatasync, 1 << 40)?);
        Ok(fsync.filter(|count| *count > 0).or(datasync.filter(|count| *count > 0)))
    }

    fn lifetime(&self) -> Result<Lifetime, Told> {
        let named = Lifetime::ALL[1..].iter().map(|one| (one.name(), *one)).collect::<Vec<_>>();
        Ok(self.one_of(Key::WriteHint, &named)?.unwrap_or(Lifetime::Unset))
    }

    fn file(&self) -> Result<Option<String>, Told> {
        let file = self.get(Key::FileName).map(|value| value.text.to_string());
        if file.as_ref().is_some_and(|file| file.replace("\\:", "").contains(':')) {
            return Err(self.wrong(Key::FileName, "one file"));
        }
        Ok(file)
    }

    /// The number of clones, and the bytes between the starts of their spaces, which end at `end` of the first.
    fn clones(&self, world: &World<'_>, least: u64, end: u64) -> Result<(u64, u64), Told> {
        let of = "a size, or --capacity";
        let mut increment = self.amount(Key::OffsetIncrement, world.capacity, of)?.unwrap_or(0);
        if self.is_percentage(Key::OffsetIncrement) {
            increment = increment.next_multiple_of(least);
        }
        let clones = self.count(Key::NumJobs, MOST_JOBS as u64)?.unwrap_or(1);
        if (clones - 1).saturating_mul(increment).saturating_add(end) > END {
            let told = format!("job {:?}: found addresses beyond 4 PiB", self.section.name);
            return Err(Told::at(self.section.line, told));
        }
        Ok((clones, increment))
    }

    fn job(&self, world: &World<'_>) -> Result<Job, Told> {
        let (work, random, number) = self.pattern()?;
        let (sizes, align) = self.sizes()?;
        let each = work.directions().iter().map(|at| sizes[*at].least());
        let (least, most) = (each.clone().min().unwrap_or(1), each.max().unwrap_or(1));
        let Space { start, length, bytes, passes } = self.space(world, least, most)?;
        let (law, map) = self.law(work, random, &sizes, length)?;
        let time_based = self.flag(Key::TimeBased)?;
        if time_based && self.get(Key::Runtime).is_none() {
            return Err(self.wrong(Key::TimeBased, "runtime, too"));
        }
        let Placed { handles, select, scheme } = self.placed(world)?;
        let (clones, increment) = self.clones(world, least, start + length)?;
        Ok(Job {
            work,
            steps: self.steps(random, number)?,
            pace: self.pace(work, &sizes)?,
            sizes,
            align,
            law,
            map,
            repeats: !time_based && self.repeats()?,
            start,
            length,
            passes: passes.filter(|_| !time_based),
            bytes: (!time_based).then_some(bytes),
            requests: self.count(Key::NumberIos, u64::MAX)?,
            fsync: self.fsync()?,
            handles,
            select,
            scheme,
            lifetime: self.lifetime()?,
            seed: self.number(Key::RandSeed, u64::MAX)?.unwrap_or(0),
            clones,
            increment,
            file: self.file()?,
            waits: self.flag(Key::Stonewall)?,
            line: self.get(Key::TimeBased).map_or(self.section.line, |value| value.line),
            name: self.section.name.clone(),
        })
    }
}

/// Where a job goes, and how often.
struct Space {
    start: u64,
    length: u64,
    /// Bytes that are transferred in it.
    bytes: u64,
    /// Passes over it at most.
    passes: Option<u64>,
}

/// The handles of a job, and which of them a write takes.
struct Placed {
    handles: Vec<u16>,
    select: HandleSelect,
    scheme: Option<Arc<Scheme>>,
}
