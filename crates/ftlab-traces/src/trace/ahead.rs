//! The lines of a long text, parsed ahead on other cores.
//!
//! A format that keeps nothing from line to line can be parsed in blocks, each on any thread. Requests
//! and mistakes come in the order of the lines, as if one thread had parsed them all.

use super::field::Mistake;
use super::gate::{Clock, RawRequest};
use super::lines::{End, Lines};
use super::source::Decode;
use super::stream::Broken;
use super::text::{LineDecoder, LineFormat};
use std::io;
use std::mem;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, available_parallelism};
use std::vec::IntoIter;

/// Lines that are parsed before threads start: a short trace needs none.
const FRONT_LINES: u64 = 20_000;

/// Blocks at a time for each thread: one to parse, and one that waits.
const DEPTH: usize = 2;

/// Threads at most.
const MOST_THREADS: usize = 3;

/// Requests, unchecked, from the lines of one stream.
pub(super) struct Ahead<F> {
    /// Parses the front; its stream gives the blocks behind it.
    decoder: LineDecoder<F>,
    threads: usize,
    team: Option<Team>,
}

impl<F: LineFormat> Ahead<F> {
    /// Whether the lines of the format can be parsed in blocks.
    pub(super) const POSSIBLE: bool = cfg!(feature = "files") && size_of::<F>() == 0;

    /// The requests of `decoder`, parsed on the cores at hand.
    pub(super) fn new(decoder: LineDecoder<F>) -> Self {
        let others = available_parallelism().map_or(1, usize::from) - 1;
        Self { decoder, threads: others.min(MOST_THREADS), team: None }
    }

    /// The next request while there is no team.
    #[inline(never)]
    fn of_front(&mut self) -> Result<Option<RawRequest>, Broken> {
        if self.threads > 0 && self.decoder.number() >= FRONT_LINES && self.decoder.has_begun() {
            // Where no thread can start, the front goes on to the end.
            let threads = mem::take(&mut self.threads);
            if let Ok(team) = Team::start(&self.decoder, threads) {
                return self.team.insert(team).next(self.decoder.lines());
            }
        }
        self.decoder.next()
    }
}

impl<F: LineFormat> Decode for Ahead<F> {
    fn file_is_volume(&self) -> bool {
        F::FILE_IS_VOLUME
    }

    #[inline(always)]
    fn next(&mut self) -> Result<Option<RawRequest>, Broken> {
        match &mut self.team {
            Some(team) => team.next(self.decoder.lines()),
            None => self.of_front(),
        }
    }

    #[inline]
    fn clock(&self) -> Clock {
        self.decoder.clock()
    }

    fn number(&self) -> u64 {
        self.team.as_ref().map_or_else(|| self.decoder.number(), Team::number)
    }

    fn here(&self, mistake: Mistake) -> Mistake {
        self.decoder.here(mistake)
    }

    fn units(&self) -> Option<String> {
        self.decoder.units()
    }

    fn remarks(&self) -> Vec<String> {
        self.decoder.remarks()
    }

    fn without_requests(&self) -> Mistake {
        self.decoder.without_requests()
    }
}

/// Threads that parse blocks of lines in turn.
struct Team {
    workers: Vec<Worker>,
    /// Blocks that workers have been sent, and that have come back.
    sent: usize,
    received: usize,
    /// What follows the last block that was sent, once it is known.
    end: Option<End>,
    /// What is left of the block that came back last.
    requests: IntoIter<(RawRequest, u32)>,
    mistake: Option<Mistake>,
    /// Lines in front of that block, with it, and the line of the latest request in it.
    before: u64,
    behind: u64,
    line: u32,
}

impl Team {
    fn start<F: LineFormat>(decoder: &LineDecoder<F>, threads: usize) -> io::Result<Self> {
        let worker = |_| {
            let decoder = decoder.of_block();
            Worker::start(move |text| Parsed::of(decoder(text)))
        };
        Ok(Self {
            workers: (0..threads).map(worker).collect::<io::Result<_>>()?,
            sent: 0,
            received: 0,
            end: None,
            requests: Vec::new().into_iter(),
            mistake: None,
            before: 0,
            behind: decoder.number(),
            line: 0,
        })
    }

    /// The number of the line whose request, or mistake, came last.
    fn number(&self) -> u64 {
        self.before + u64::from(self.line)
    }

    #[inline(always)]
    fn next(&mut self, lines: &mut Lines) -> Result<Option<RawRequest>, Broken> {
        match self.requests.next() {
            Some((raw, line)) => {
                self.line = line;
                Ok(Some(raw))
            }
            None => self.of_next_block(lines),
        }
    }

    /// The first request behind the block that has been handed out.
    #[inline(never)]
    fn of_next_block(&mut self, lines: &mut Lines) -> Result<Option<RawRequest>, Broken> {
        loop {
            self.line = (self.behind - self.before) as u32;
            if let Some(mistake) = self.mistake.take() {
                return Err(Broken::Mistake(mistake));
            }
            self.send(lines)?;
            if self.sent == self.received {
                return match self.end.replace(End::Finished) {
                    Some(End::Broken(broken)) => Err(broken),
                    _ => Ok(None),
                };
            }
            self.receive()?;
            if let Some((raw, line)) = self.requests.next() {
                self.line = line;
                return Ok(Some(raw));
            }
        }
    }

    /// Keeps every worker busy while there are lines.
    fn send(&mut self, lines: &mut Lines) -> Result<(), Broken> {
        while self.end.is_none() && self.sent - self.received < DEPTH * self.workers.len() {
            let (block, end) = lines.block();
            self.end = end;
            if !block.is_empty() {
                let worker = &self.workers[self.sent % self.workers.len()];
                worker.blocks.send(block).map_err(|_| gone())?;
                self.sent += 1;
            }
        }
        Ok(())
    }

    /// Takes back the block that was sent first.
    fn receive(&mut self) -> Result<(), Broken> {
        let worker = &self.workers[self.received % self.workers.len()];
        let Parsed { requests, mistake, lines } = worker.parsed.recv().map_err(|_| gone())?;
        self.received += 1;
        self.before = self.behind;
        self.behind += lines;
        (self.requests, self.mistake) = (requests.into_iter(), mistake);
        Ok(())
    }
}

#[cold]
fn gone() -> Broken {
    Broken::Io(io::Error::other("a thread that parses lines has ended"))
}

/// What a block of lines says.
struct Parsed {
    /// Each request with the number of its line in the block, from 1.
    requests: Vec<(RawRequest, u32)>,
    /// What is wrong with the last line that was read.
    mistake: Option<Mistake>,
    /// Lines that were read.
    lines: u64,
}

impl Parsed {
    fn of(mut decoder: impl Decode) -> Self {
        let mut requests = Vec::new();
        let mistake = loop {
            match decoder.next() {
                Ok(Some(raw)) => requests.push((raw, decoder.number() as u32)),
                Ok(None) => break None,
                Err(Broken::Mistake(mistake)) => break Some(mistake),
                Err(Broken::Io(error)) => break Some(Mistake(error.to_string())),
            }
        };
        Self { requests, mistake, lines: decoder.number() }
    }
}

/// A thread that parses blocks in the order in which they are sent.
struct Worker {
    blocks: SyncSender<Vec<u8>>,
    parsed: Receiver<Parsed>,
}

impl Worker {
    fn start(parse: impl Fn(Vec<u8>) -> Parsed + Send + 'static) -> io::Result<Self> {
        let (blocks, to_parse) = sync_channel(DEPTH);
        let (done, parsed) = sync_channel(DEPTH);
        thread::Builder::new().name("lines".into()).spawn(move || {
            // It ends when nobody sends a block or takes one back.
            to_parse.iter().map(parse).try_for_each(|block| done.send(block))
        })?;
        Ok(Self { blocks, parsed })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::request::{Request, RequestSource};
    use crate::trace::TimeOrder;
    use crate::trace::compress::Compressed;
    use crate::trace::gate::Gate;
    use crate::trace::source::{Place, Source};
    use crate::trace::spc::Spc;
    use crate::trace::stream::Stream;
    use std::io::Read;

    /// Lines far behind the front, in several blocks.
    const LINES: usize = 45_000;

    /// Every seventh line is blank, every eleventh a comment.
    fn text() -> Vec<u8> {
        let line = |i: usize| match i {
            i if i % 7 == 3 => "\r\n".into(),
            i if i % 11 == 5 => "# a comment\n".into(),
            i => format!("{},{},4096,w,{}.5\n", i % 3, i * 8, i),
        };
        (0..LINES).flat_map(|i| line(i).into_bytes()).collect()
    }

    /// Where line `n`, from 1, begins.
    fn start_of(text: &[u8], n: usize) -> usize {
        memchr::memchr_iter(b'\n', text).nth(n - 2).expect("a line in front") + 1
    }

    /// Gives all bytes and then breaks.
    struct Breaks<'a>(&'a [u8]);

    impl Read for Breaks<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            match self.0.read(buffer)? {
                0 => Err(io::Error::other("the disk is gone")),
                read => Ok(read),
            }
        }
    }

    fn all(decoder: impl Decode) -> (Vec<Request>, Option<String>) {
        let place = Place { file: "trace".into(), ..Place::default() };
        let mut source = Source::new(decoder, Gate::new(TimeOrder::Error, None, None), place);
        let mut requests = Vec::new();
        loop {
            let before = requests.len();
            match source.fill(&mut requests) {
                Ok(()) if requests.len() == before => return (requests, None),
                Ok(()) => {}
                Err(error @ (Error::Trace { .. } | Error::Io { .. })) => {
                    return (requests, Some(error.to_string()));
                }
                Err(other) => panic!("{other}"),
            }
        }
    }

    /// What one thread reads, which all numbers of them must.
    fn same_on_any_number(source: impl Fn() -> Box<dyn Read + Send>) -> (usize, Option<String>) {
        let decoder = || LineDecoder::new(Spc, Stream::new(source(), Compressed::No));
        let (expected, error) = all(decoder());
        for threads in [1, 3] {
            let (requests, found) = all(Ahead { decoder: decoder(), threads, team: None });
            assert_eq!(found, error, "{threads} threads");
            assert!(requests == expected, "{threads} threads");
        }
        (expected.len(), error)
    }

    fn of(text: &'static [u8]) -> (usize, Option<String>) {
        same_on_any_number(|| Box::new(text))
    }

    #[test]
    fn blocks_say_what_lines_say() {
        let requests = (0..LINES).filter(|i| i % 7 != 3 && i % 11 != 5).count();
        assert_eq!(of(text().leak()), (requests, None));
    }

    #[test]
    fn a_mistake_has_its_line_whatever_the_block() {
        let text = text();
        for line in [19_999, 20_002, 33_333, 44_998] {
            let start = start_of(&text, line);
            for damage in ["7,x,", "1,1,512,w,0.0\n", "\u{0}\n"] {
                let damaged = [&text[..start], damage.as_bytes(), &text[start..]].concat();
                let (_, error) = of(damaged.leak());
                let error = error.expect("a broken line");
                assert!(error.starts_with(&format!("trace:{line}: ")), "{error}");
            }
        }
    }

    #[test]
    fn a_text_may_end_anywhere() {
        let text = text();
        for line in [20_001, 37_654] {
            let start = start_of(&text, line);
            for end in start..start + 12 {
                of(text[..end].to_vec().leak());
            }
        }
    }

    #[test]
    fn a_line_without_end_and_a_broken_disk_are_met_in_their_place() {
        let text = text();
        let start = start_of(&text, 40_000);
        let endless = [&text[..start], &vec![b'1'; 300 << 10], &text[start..]].concat();
        let (_, error) = of(endless.leak());
        assert!(error.expect("a long line").starts_with("trace:40000: found a line longer than"));
        let text: &'static [u8] = text[..start + 5].to_vec().leak();
        let (requests, error) = same_on_any_number(|| Box::new(Breaks(text)));
        assert!(requests > 25_000 && error.is_some_and(|error| error.contains("disk is gone")));
    }
}
