use super::*;
use proptest::prelude::*;

const EXPORT: Export = Export { bytes: 4 << 20, sector: 512, preferred: 4096, names: 1 };

/// A client and a device of the bytes `offset % 251`, which fails reads and writes at `broken`.
struct Talk {
    protocol: Protocol,
    input: Vec<u8>,
    output: Vec<u8>,
    pieces: Vec<Piece>,
    broken: Option<u64>,
}

impl Talk {
    fn new() -> Self {
        let mut output = Vec::new();
        let protocol = Protocol::greet(EXPORT, &mut output);
        Talk { protocol, input: Vec::new(), output, pieces: Vec::new(), broken: None }
    }

    /// Sends bytes in messages of at most `most`; returns whether the conversation goes on.
    fn send(&mut self, bytes: &[u8], most: usize) -> bool {
        bytes.chunks(most.max(1)).all(|part| {
            self.input.extend(part);
            self.work()
        })
    }

    fn work(&mut self) -> bool {
        loop {
            let head = self.output.len();
            match self.protocol.step(&self.input, &mut self.output) {
                Step::Starved => return true,
                Step::Closed => return false,
                Step::Took(bytes) => drop(self.input.drain(..bytes)),
                Step::Do(bytes, piece) => {
                    let end = piece.offset + u64::from(piece.length);
                    if self.broken.is_some_and(|at| (piece.offset..end).contains(&at)) {
                        self.output.truncate(head);
                        self.protocol.failed(&piece, Errno::IO, &mut self.output);
                    } else {
                        if piece.what == What::Read {
                            self.output.extend((piece.offset..end).map(|at| (at % 251) as u8));
                        }
                        self.protocol.done(&piece, &mut self.output);
                    }
                    self.input.drain(..bytes);
                    self.pieces.push(piece);
                }
            }
        }
    }

    fn said(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.output)
    }
}

fn option(option: u32, data: &[u8]) -> Vec<u8> {
    let mut bytes = magic::OPTION.to_be_bytes().to_vec();
    bytes.extend(option.to_be_bytes());
    bytes.extend((data.len() as u32).to_be_bytes());
    bytes.extend(data);
    bytes
}

fn request(kind: u16, flags: u16, offset: u64, length: u32) -> Vec<u8> {
    let mut bytes = magic::REQUEST.to_be_bytes().to_vec();
    bytes.extend(flags.to_be_bytes());
    bytes.extend(kind.to_be_bytes());
    bytes.extend(7u64.to_be_bytes());
    bytes.extend(offset.to_be_bytes());
    bytes.extend(length.to_be_bytes());
    bytes
}

/// A conversation in which commands may be sent.
fn open(structured: bool) -> Talk {
    let mut talk = Talk::new();
    assert!(talk.send(&3u32.to_be_bytes(), 4));
    if structured {
        assert!(talk.send(&option(option::STRUCTURED_REPLY, &[]), 100));
    }
    assert!(talk.send(&option(option::GO, &[0; 6]), 100));
    assert!(talk.protocol.is_open());
    talk.said();
    talk
}

/// What simple answers and chunks say: the error, where there is one, and the data.
fn read_answer(structured: bool, mut said: &[u8], length: usize) -> (Option<u32>, Vec<u8>) {
    let mut data = Vec::new();
    if !structured {
        let mut reader = Reader(said);
        assert_eq!(reader.u32(), Some(magic::SIMPLE_REPLY));
        let errno = reader.u32().expect("an error");
        assert_eq!(reader.u64(), Some(7));
        assert!(errno == 0 || reader.0.is_empty());
        assert!(reader.0.len() <= length);
        return (Some(errno).filter(|errno| *errno != 0), reader.0.to_vec());
    }
    loop {
        let mut reader = Reader(said);
        assert_eq!(reader.u32(), Some(magic::CHUNK));
        let (flags, kind) = (reader.u16().expect("flags"), reader.u16().expect("a type"));
        assert_eq!(reader.u64(), Some(7));
        let size = reader.u32().expect("a length") as usize;
        let mut inside = Reader(reader.bytes(size).expect("a whole chunk"));
        said = reader.0;
        match kind {
            wire::ERROR => {
                assert_eq!((flags, said.len()), (wire::DONE, 0));
                return (inside.u32(), data);
            }
            wire::NONE => assert_eq!(size, 0),
            _ => {
                let offset = inside.u64().expect("an offset");
                assert_eq!(inside.0.first(), Some(&((offset % 251) as u8)));
                data.extend(inside.0);
            }
        }
        if flags == wire::DONE {
            assert!(said.is_empty());
            return (None, data);
        }
    }
}

#[test]
fn a_client_is_greeted_and_told_the_export() {
    let mut talk = Talk::new();
    assert_eq!(talk.said(), b"NBDMAGICIHAVEOPT\0\x03");
    assert!(talk.send(&1u32.to_be_bytes(), 4));
    assert!(talk.send(&option(option::EXPORT_NAME, &[]), 3));
    let said = talk.said();
    assert_eq!(said.len(), 8 + 2 + 124, "without NO_ZEROES");
    assert_eq!(said[..8], EXPORT.bytes.to_be_bytes());
    assert!(talk.protocol.is_open());
}

#[test]
fn what_is_not_known_is_refused_and_the_conversation_goes_on() {
    let mut talk = Talk::new();
    assert!(talk.send(&3u32.to_be_bytes(), 4));
    talk.said();
    let replied = |talk: &mut Talk, sent: &[u8]| {
        assert!(talk.send(sent, 1000));
        let said = talk.said();
        u32::from_be_bytes(said[12..16].try_into().expect("4 bytes"))
    };
    assert_eq!(replied(&mut talk, &option(5, &[])), reply::UNSUPPORTED, "STARTTLS");
    assert_eq!(replied(&mut talk, &option(99, &[1; 50])), reply::UNSUPPORTED);
    assert_eq!(replied(&mut talk, &option(option::STRUCTURED_REPLY, &[1])), reply::INVALID);
    assert_eq!(replied(&mut talk, &option(option::GO, &[0, 0, 0, 9, 1, 1])), reply::INVALID);
    assert_eq!(replied(&mut talk, &option(option::GO, &[0, 0, 0, 1, 65, 0, 0])), reply::UNKNOWN);
    assert_eq!(replied(&mut talk, &option(99, &vec![1; 1 << 20])), reply::TOO_BIG);
    assert_eq!(replied(&mut talk, &option(option::LIST, &[])), reply::SERVER);
    assert!(!talk.send(&option(option::ABORT, &[]), 100), "the client leaves");
    assert_eq!(talk.said()[12..16], reply::ACK.to_be_bytes());
}

#[test]
fn commands_that_make_no_sense_are_refused() {
    let cases = [
        (request(0, 0, 4 << 20, 512), Errno::INVALID),
        (request(0, 0, u64::MAX, 512), Errno::INVALID),
        (request(0, 0, 100, 512), Errno::INVALID),
        (request(0, 0, 0, u32::MAX - 511), Errno::OVERFLOW),
        (request(0, wire::NO_HOLE, 0, 512), Errno::INVALID),
        (request(4, 0, u64::MAX - 511, 512), Errno::INVALID),
        (request(6, 0, 4 << 20, 512), Errno::NO_SPACE),
        (request(9, 0, 0, 0), Errno::INVALID),
        ([request(1, 0, 4 << 20, 512), vec![7; 512]].concat(), Errno::NO_SPACE),
    ];
    for (sent, errno) in cases {
        let mut talk = open(false);
        assert!(talk.send(&sent, 100), "{sent:?}");
        assert_eq!(read_answer(false, &talk.said(), 0), (Some(errno.0), vec![]));
        assert!(talk.pieces.is_empty() && talk.input.is_empty());
        assert!(talk.send(&request(3, 0, 0, 0), 100), "it goes on");
    }
    let too_long = request(1, 0, 0, LONGEST_BYTES + 512);
    assert!(!open(true).send(&too_long, 100), "nobody takes so much");
    assert!(!open(true).send(&[0; 28], 100), "garbage");
    assert!(!open(true).send(&request(2, 0, 0, 0), 100), "the client leaves");
}

#[test]
fn a_long_write_comes_in_pieces_and_is_answered_once() {
    let mut talk = open(true);
    let data: Vec<u8> = (0..1_000_448u32).map(|at| (at % 253) as u8).collect();
    assert!(talk.send(&request(1, wire::FUA, 512, data.len() as u32), 28));
    assert!(talk.send(&data, 10_000));
    let mut at = 512;
    for piece in &talk.pieces {
        assert_eq!(piece.offset, at);
        at += u64::from(piece.length);
        assert!(piece.last || at.is_multiple_of(u64::from(PIECE_BYTES)));
        assert_eq!(piece.durable, piece.last);
    }
    assert_eq!((talk.pieces.len(), at), (4, 512 + data.len() as u64));
    assert_eq!(read_answer(false, &talk.said(), 0), (None, vec![]), "writes are answered simply");
}

#[test]
fn a_read_that_fails_in_its_middle() {
    let asked = |structured, flags| {
        let mut talk = open(structured);
        talk.broken = Some(300 << 10);
        let goes_on = talk.send(&request(0, flags, 0, 1 << 20), 100);
        (goes_on, talk.said())
    };
    let (goes_on, said) = asked(true, 0);
    let (errno, data) = read_answer(true, &said, 1 << 20);
    assert_eq!((goes_on, errno, data.len()), (true, Some(Errno::IO.0), 256 << 10));
    assert!(!asked(true, wire::DF).0, "one chunk was promised");
    assert!(!asked(false, 0).0, "success was told");
}

#[test]
fn a_write_that_fails_is_taken_to_its_end() {
    let mut talk = open(true);
    talk.broken = Some(0);
    assert!(talk.send(&request(1, 0, 0, 1 << 20), 28));
    assert!(talk.send(&vec![1; 1 << 20], 5000));
    assert_eq!(read_answer(false, &talk.said(), 0), (Some(Errno::IO.0), vec![]));
    assert_eq!((talk.pieces.len(), talk.input.len()), (1, 0));
    assert!(talk.send(&request(3, 0, 0, 0), 28));
    assert_eq!(talk.said().len(), 16);
}

proptest! {
    #[test]
    fn any_bytes_are_survived(start in 0..3, bytes: Vec<u8>, most in 1usize..64) {
        let mut talk = match start {
            0 => Talk::new(),
            1 => open(true),
            _ => {
                let mut talk = Talk::new();
                talk.send(&3u32.to_be_bytes(), 4);
                talk
            }
        };
        talk.send(&bytes, most);
        prop_assert!(talk.output.len() < 1 << 16);
    }

    #[test]
    fn reads_return_what_was_asked_however_it_is_sent(
        structured: bool, one_piece: bool, first in 0u64..2048, sectors in 0u32..4096, most in 1usize..40
    ) {
        let mut talk = open(structured);
        let (offset, length) = (512 * first, 512 * sectors);
        let flags = if one_piece && structured { wire::DF } else { 0 };
        prop_assert!(talk.send(&request(0, flags, offset, length), most));
        let (errno, data) = read_answer(structured, &talk.said(), length as usize);
        prop_assert_eq!(errno, None);
        let expected: Vec<u8> = (offset..offset + u64::from(length)).map(|at| (at % 251) as u8).collect();
        prop_assert_eq!(data, expected);
    }

    /// Numbers are changed in a conversation that makes sense.
    #[test]
    fn a_damaged_conversation_never_asks_for_more_than_the_device(
        kind in 0u16..12, flags: u16, offset: u64, length: u32, more: Vec<u8>
    ) {
        let mut talk = open(true);
        talk.send(&request(kind, flags, offset, length % (1 << 22)), 28);
        talk.send(&more, 100);
        for piece in &talk.pieces {
            prop_assert!(piece.offset + u64::from(piece.length) <= EXPORT.bytes);
            prop_assert!(piece.length <= PIECE_BYTES);
        }
        prop_assert!(talk.input.len() <= LONGEST_MESSAGE);
    }
}
