use super::*;
use ftlab::device::DeviceConfig;
use ftlab::flash::Content;
use ftlab::units::{Bytes, Pbn};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Mutex;

const SECTOR: usize = 512;
/// Room for the map's entries in an OOB, B.
const OOB: u32 = 512;
const ROOM: Room = Room { oob_bytes: OOB, trims: true };

/// A disk that forgets: a cut may lose any sectors written since the last barrier.
#[derive(Default)]
struct Lossy(Mutex<Sectors>);

#[derive(Clone, Default)]
struct Sectors {
    /// The disk before each sync, if requested.
    before_syncs: Option<Vec<Sectors>>,
    durable: Vec<u8>,
    /// The versions of each sector written since the last barrier, in order.
    written: BTreeMap<usize, Vec<[u8; SECTOR]>>,
}

impl Sectors {
    fn newest(&self, sector: usize) -> [u8; SECTOR] {
        let written = self.written.get(&sector).and_then(|versions| versions.last().copied());
        written.unwrap_or_else(|| {
            let place = sector * SECTOR..(sector + 1) * SECTOR;
            self.durable[place].try_into().expect("a sector")
        })
    }
}

impl Disk for Lossy {
    fn read_at(&self, bytes: &mut [u8], place: u64) -> io::Result<()> {
        let sectors = self.0.lock().expect("one thread");
        for (at, byte) in (place as usize..).zip(bytes) {
            *byte = sectors.newest(at / SECTOR)[at % SECTOR];
        }
        Ok(())
    }

    fn write_at(&self, bytes: &[u8], place: u64) -> io::Result<()> {
        let mut sectors = self.0.lock().expect("one thread");
        let (mut at, end) = (place as usize, place as usize + bytes.len());
        while at < end {
            let sector = at / SECTOR;
            let inside = at % SECTOR..SECTOR.min(end - sector * SECTOR);
            let mut new = sectors.newest(sector);
            let next = at + inside.len();
            new[inside].copy_from_slice(&bytes[at - place as usize..next - place as usize]);
            sectors.written.entry(sector).or_default().push(new);
            at = next;
        }
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        let mut sectors = self.0.lock().expect("one thread");
        let Sectors { durable, written, .. } = &*sectors;
        let before =
            Sectors { before_syncs: None, durable: durable.clone(), written: written.clone() };
        if let Some(kept) = &mut sectors.before_syncs {
            kept.push(before);
        }
        for (sector, versions) in std::mem::take(&mut sectors.written) {
            let last = versions.last().expect("it was written");
            sectors.durable[sector * SECTOR..][..SECTOR].copy_from_slice(last);
        }
        Ok(())
    }
}

impl Lossy {
    /// Keeps a copy of the disk before each sync of `act`.
    fn before_syncs(&self, act: impl FnOnce()) -> Vec<Lossy> {
        self.0.lock().expect("one thread").before_syncs = Some(Vec::new());
        act();
        let kept = self.0.lock().expect("one thread").before_syncs.take();
        kept.expect("they are kept").into_iter().map(|sectors| Lossy(Mutex::new(sectors))).collect()
    }

    /// The disk after a cut of the machine: `choose` selects the version of each sector.
    fn cut(&self, mut choose: impl FnMut(usize) -> usize) -> Lossy {
        let mut sectors = self.0.lock().expect("one thread").clone();
        for (sector, versions) in std::mem::take(&mut sectors.written) {
            if let Some(version) = choose(versions.len() + 1).checked_sub(1) {
                sectors.durable[sector * SECTOR..][..SECTOR].copy_from_slice(&versions[version]);
            }
        }
        Lossy(Mutex::new(sectors))
    }
}

fn geometry() -> Geometry {
    let device = DeviceConfig {
        page: Bytes(512),
        pages_per_block: 4,
        blocks: Some(12),
        ..DeviceConfig::default()
    };
    Geometry::new(&device, 8 * 4 * 512).expect("a small device")
}

/// The content of each page: its sequence number, and the number that fills it.
type Pages = Vec<Option<(u64, u8)>>;

/// The pages, and when each logical page was trimmed last.
type State = (Pages, Vec<u64>);

fn held(image: &Image<Lossy>) -> State {
    let mut bytes = [0; 512];
    let page = |number: usize| {
        let tag = image.tables.pages[number].tag;
        (tag.kind() != Kind::Erased).then(|| {
            assert!(image.read(Ppn(number as u32), &mut bytes).expect("it reads"), "page {number}");
            (tag.sequence(), bytes[7])
        })
    };
    ((0..image.tables.pages.len()).map(page).collect(), image.tables.trimmed.clone())
}

/// A change that trims.
const TRIM_SOME: u32 = 4;

/// A medium under random changes, each of which an FTL could make.
struct Medium {
    image: Image<Lossy>,
    pages: Pages,
    trimmed: Vec<u64>,
    sequence: u64,
}

impl Medium {
    fn new() -> Self {
        let disk = Lossy::default();
        let bytes = Image::<Lossy>::bytes(&geometry(), ROOM) as usize;
        disk.0.lock().expect("one thread").durable = vec![0; bytes];
        let mut image = Image::new(disk, &geometry(), ROOM);
        image.checkpoint().expect("it writes");
        Medium { image, pages: vec![None; 48], trimmed: vec![0; 32], sequence: 0 }
    }

    fn state(&self) -> State {
        (self.pages.clone(), self.trimmed.clone())
    }

    fn change(&mut self, what: u32, at: usize, other: usize) {
        let (mut at, other) = (at % 48, other % 48);
        if what < 2 {
            // An erased page, if there is one.
            let erased = (at..at + 48).find(|page| self.pages[page % 48].is_none());
            at = erased.map_or(at, |page| page % 48);
        }
        let program = |from, sequence| Event::Program {
            ppn: Ppn(at as u32),
            owner: Owner::Data(Lpn(other as u32 % 32)),
            sequence,
            from,
            content: None,
        };
        let (event, fill) = match (what, self.pages[at], self.pages[other]) {
            (TRIM_SOME, ..) => {
                let (first, count, sequence) = (at % 30, 1 + other % 3, self.sequence);
                self.trimmed[first..][..count].fill(sequence);
                let (first, count) = (Lpn(first as u32), count as u32);
                (Event::Trim(Tombstone { first, count, sequence }), 0)
            }
            (0, None, Some((sequence, fill))) => {
                self.pages[at] = Some((sequence, fill));
                (program(Some(Ppn(other as u32)), sequence), fill)
            }
            (0 | 1, None, _) => {
                self.sequence += 1;
                let fill = self.sequence as u8;
                self.pages[at] = Some((self.sequence, fill));
                (program(None, self.sequence), fill)
            }
            _ => {
                let pbn = at / 4;
                self.pages[pbn * 4..][..4].fill(None);
                (Event::Erase { pbn: Pbn(pbn as u32) }, 0)
            }
        };
        self.image.apply(event, |_| (Cow::Owned(vec![fill; 512]), true)).expect("it writes");
        self.image.write_journal().expect("it writes");
    }
}

#[test]
fn a_killed_process_loses_nothing() {
    let mut medium = Medium::new();
    for step in 0..5000 {
        let what = if step % 7 == 0 { TRIM_SOME } else { step % 3 };
        medium.change(what, 7 * step as usize, 11 * step as usize);
        if step % 97 == 0 {
            let disk = medium.image.disk.cut(|versions| versions - 1);
            let (image, recovered) = Image::open(disk, &geometry(), ROOM).expect("it opens");
            assert_eq!((held(&image), recovered.given_up), (medium.state(), 0));
            assert_eq!(image.erases(), medium.image.erases());
            assert_eq!(image.last_sequence(), medium.sequence);
        }
    }
}

#[test]
fn a_damaged_page_is_found_and_its_copies_too() {
    let mut medium = Medium::new();
    medium.change(1, 0, 0);
    medium.change(1, 1, 0);
    let place = medium.image.place(Ppn(1));
    medium.image.disk.write_at(&[99], place).expect("it writes");
    medium.change(0, 2, 1);
    assert_eq!(medium.image.damaged().expect("it reads"), [Ppn(1), Ppn(2)]);
}

/// The map's entries in an OOB are recovered with their version and no other. A copy has separate
/// entries. Entries that do not fit are left out.
#[test]
fn what_an_oob_has_of_a_map_is_kept() {
    let mut image = Medium::new().image;
    let mappings =
        |count: u32| -> Content { (0..count).map(|page| Some(Ppn(page)).into()).collect() };
    let mut program = |ppn, sequence, from, content| {
        let owner = Owner::Data(Lpn(3));
        let event = Event::Program { ppn: Ppn(ppn), owner, sequence, from, content };
        image.apply(event, |_| (Cow::Owned(vec![1; 512]), true)).expect("it writes");
    };
    program(0, 1, None, Some(mappings(126)));
    program(1, 1, Some(Ppn(0)), Some(mappings(2)));
    program(2, 2, None, None);
    program(3, 3, None, Some(mappings(127)));
    image.checkpoint().expect("it writes");
    let disk = Arc::into_inner(image.disk).expect("one image");
    let place = {
        let (image, _) = Image::open(disk.cut(|_| 0), &geometry(), ROOM).expect("it opens");
        let kept: Vec<_> =
            image.kept().expect("it reads").into_iter().map(|page| page.content).collect();
        assert_eq!(kept, [Some(mappings(126)), Some(mappings(2)), None, None]);
        image.oob_place(Ppn(1))
    };
    disk.write_at(&[99], place + 8).expect("it writes");
    let (image, _) = Image::open(disk, &geometry(), ROOM).expect("it opens");
    assert_eq!(image.kept().expect("it reads")[1].content, None);
    assert_eq!(image.damaged().expect("it reads"), []);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12 * ProptestConfig::default().cases))]

    /// A cut of the machine leaves an earlier state, the last flushed one or a later one. Then work
    /// continues.
    #[test]
    fn a_cut_of_the_machine_leaves_a_state_that_was(
        runs in prop::collection::vec(
            (prop::collection::vec((0u32..5, 0usize..48, 0usize..48), 1..120), 0usize..3), 1..4
        ),
        mut luck: u64,
    ) {
        let mut medium = Medium::new();
        for (steps, order) in runs {
            let (mut states, mut flushed) = (vec![medium.state()], 0);
            let mut under_way = None;
            for (what, at, other) in steps {
                match what {
                    // A barrier, while other changes continue.
                    3 => match under_way.take() {
                        None => under_way = Some((medium.image.begin_flush().expect("it writes"), states.len() - 1)),
                        Some((flush, state)) => {
                            flush.disk.sync().expect("it syncs");
                            medium.image.end_flush(&flush);
                            flushed = state;
                        }
                    },
                    _ => {
                        medium.change(what, at, other);
                        states.push(medium.state());
                    }
                }
            }
            let disk = medium.image.disk.cut(|versions| {
                luck = luck.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                match order {
                    0 => (luck >> 33) as usize % versions,
                    1 => (versions - 1) * usize::from((luck >> 33).is_multiple_of(8)),
                    _ => (versions - 1) * usize::from(!(luck >> 33).is_multiple_of(8)),
                }
            });
            let (mut image, _) = Image::open(disk, &geometry(), ROOM).expect("it opens");
            let found = held(&image);
            let state = states.iter().rposition(|state| *state == found);
            prop_assert!(state.is_some_and(|state| state >= flushed), "{state:?} of {}, flushed {flushed}", states.len());
            image.checkpoint().expect("it writes");
            let (pages, trimmed) = found;
            medium = Medium { image, pages, trimmed, sequence: medium.sequence };
        }
    }

    /// A cut within a checkpoint or a flush leaves an earlier state: the last flushed one or a
    /// later one. After the first sync of a checkpoint it is the last state of all, from the older
    /// checkpoint or the new one. Any part of what is written before a sync may be on the disk, so
    /// the disk before each sync covers every moment since the previous sync.
    #[test]
    fn a_cut_within_a_barrier_leaves_a_state_that_was(
        before in prop::collection::vec((0u32..5, 0usize..48, 0usize..48), 0..100),
        after in prop::collection::vec((0u32..5, 0usize..48, 0usize..48), 1..100),
        checkpoint: bool,
        mut luck: u64,
    ) {
        let mut medium = Medium::new();
        before.into_iter().for_each(|(what, at, other)| medium.change(what, at, other));
        medium.image.flush().expect("it syncs");
        let mut states = vec![medium.state()];
        for (what, at, other) in after {
            medium.change(what, at, other);
            states.push(medium.state());
        }
        let disk = Arc::clone(&medium.image.disk);
        let image = &mut medium.image;
        let moments = disk.before_syncs(|| match checkpoint {
            true => image.checkpoint().expect("it writes"),
            false => image.flush().expect("it writes"),
        });
        prop_assert_eq!(moments.len(), if checkpoint { 2 } else { 1 });
        for (syncs, disk) in moments.iter().enumerate() {
            for _ in 0..4 {
                let cut = disk.cut(|versions| {
                    luck = luck.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    (luck >> 33) as usize % versions
                });
                let (image, recovered) = Image::open(cut, &geometry(), ROOM).expect("it opens");
                let found = held(&image);
                let state = states.iter().rposition(|state| *state == found);
                prop_assert!(state.is_some(), "a third thing");
                prop_assert!(syncs == 0 || state == Some(states.len() - 1), "{:?}", recovered);
            }
        }
    }
}
