//! The newstyle NBD protocol as bytes: a client's bytes in, commands and bytes for the client out.
//! The code never waits and keeps only the state of one conversation (a few dozen bytes).
//!
//! Source: the NBD protocol, <https://github.com/NetworkBlockDevice/nbd/blob/master/doc/proto.md>.
//!
//! ```text
//! greeting -> options -> commands
//!             GO, INFO, EXPORT_NAME, LIST, ABORT, STRUCTURED_REPLY; all others are refused, as the protocol asks
//! ```
//!
//! A command comes in [pieces](Piece) that begin and end at multiples of [`PIECE_BYTES`] of the
//! device, except the first and the last. A connection needs room for one piece, whatever a client
//! requests.

mod wire;

use std::ops::Range;
pub use wire::Errno;
use wire::{Reader, flag, info, magic, option, reply};

/// Pieces of commands begin and end at multiples of this, B.
pub const PIECE_BYTES: u32 = 256 << 10;

/// The longest read or write of one command, B: the most that a client may send without
/// negotiation.
pub const LONGEST_BYTES: u32 = 32 << 20;

/// The longest message of a client that must be in memory as a whole, B.
pub const LONGEST_MESSAGE: usize = PIECE_BYTES as usize + COMMAND_BYTES;

/// The longest option that is read, B; in longer ones the name of the export is too long.
const LONGEST_OPTION: u32 = 4096;
const OPTION_BYTES: usize = 16;
const COMMAND_BYTES: usize = 28;

/// The properties of the device that a client receives.
#[derive(Clone, Copy, Debug)]
pub struct Export {
    /// Its size, B.
    pub bytes: u64,
    /// The unit of offsets and lengths, B.
    pub sector: u32,
    /// The preferred unit of offsets and lengths, B: a page.
    pub preferred: u32,
    /// Number of its names: the empty one, then 1, 2 and so on.
    pub names: u16,
}

/// What a command does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Read.
    Read,
    /// Write the data of the command.
    Write,
    /// Make all acknowledged writes durable.
    Flush,
    /// Trim.
    Trim,
    /// Write zeroes.
    Zero,
}

/// A part of a command to execute and then answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// What to do.
    pub what: What,
    /// First byte of the device.
    pub offset: u64,
    /// Bytes.
    pub length: u32,
    /// The range of the input to write.
    pub data: Range<usize>,
    /// Whether it must be durable before the answer.
    pub durable: bool,
    /// Whether the command ends here.
    pub last: bool,
}

/// What the next bytes of the input were.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Too few: more are needed.
    Starved,
    /// This many bytes, which are consumed.
    Took(usize),
    /// This many bytes, with a piece to execute and answer before the next step.
    Do(usize, Piece),
    /// The end of the conversation, by the client or because of an invalid message.
    Closed,
}

/// A conversation with a client.
#[derive(Debug)]
pub struct Protocol {
    export: Export,
    phase: Phase,
    structured: bool,
    zeroes_after_export: bool,
    /// The name by which the client has opened the export; 0 is the empty one.
    chosen: u16,
}

#[derive(Debug)]
enum Phase {
    ClientFlags,
    Options,
    /// Skips this many bytes of an option.
    Skipping(u32),
    Commands,
    Under(Command),
    Closed,
}

/// A command in progress.
#[derive(Clone, Copy, Debug)]
struct Command {
    what: What,
    cookie: u64,
    offset: u64,
    left: u32,
    durable: bool,
    /// Whether a read gets a single answer, which cannot report an error of a part.
    whole: bool,
    /// Whether a piece of it was answered.
    sent: bool,
    /// Why it has failed; the rest of it is only consumed.
    failed: Option<Errno>,
}

impl Protocol {
    /// A conversation that begins with a greeting.
    pub fn greet(export: Export, output: &mut Vec<u8>) -> Self {
        output.extend(magic::NBD.to_be_bytes());
        output.extend(magic::OPTION.to_be_bytes());
        output.extend((flag::FIXED_NEWSTYLE | flag::NO_ZEROES).to_be_bytes());
        let phase = Phase::ClientFlags;
        Protocol { export, phase, structured: false, zeroes_after_export: true, chosen: 0 }
    }

    /// Whether the client may send commands.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        matches!(self.phase, Phase::Commands | Phase::Under(_))
    }

    /// The name by which the client has opened the export: 0 if it is empty, or its number.
    #[must_use]
    pub const fn chosen(&self) -> u16 {
        self.chosen
    }

    /// The number of a name of the export.
    fn named(&self, name: &[u8]) -> Option<u16> {
        if name.is_empty() {
            return Some(0);
        }
        let number: u16 = str::from_utf8(name).ok()?.parse().ok()?;
        let is_known = (1..self.export.names).contains(&number);
        (is_known && number.to_string().as_bytes() == name).then_some(number)
    }

    /// Consumes the next message, or the next piece of one, from the input.
    pub fn step(&mut self, input: &[u8], output: &mut Vec<u8>) -> Step {
        match self.phase {
            Phase::ClientFlags => self.client_flags(input),
            Phase::Options => self.option(input, output),
            Phase::Skipping(left) => {
                let taken = left.min(input.len() as u32);
                self.phase =
                    if taken == left { Phase::Options } else { Phase::Skipping(left - taken) };
                if taken == 0 && left > 0 { Step::Starved } else { Step::Took(taken as usize) }
            }
            Phase::Commands => self.command(input, output),
            Phase::Under(command) => self.piece(command, input, 0, output),
            Phase::Closed => Step::Closed,
        }
    }

    fn close(&mut self) -> Step {
        self.phase = Phase::Closed;
        Step::Closed
    }

    fn client_flags(&mut self, input: &[u8]) -> Step {
        let Some(flags) = Reader(input).u32() else { return Step::Starved };
        let known = u32::from(flag::FIXED_NEWSTYLE | flag::NO_ZEROES);
        if flags & !known != 0 {
            return self.close();
        }
        self.zeroes_after_export = flags & u32::from(flag::NO_ZEROES) == 0;
        self.phase = Phase::Options;
        Step::Took(4)
    }

    fn option(&mut self, input: &[u8], output: &mut Vec<u8>) -> Step {
        let mut reader = Reader(input);
        let (Some(magic), Some(option), Some(length)) = (reader.u64(), reader.u32(), reader.u32())
        else {
            return Step::Starved;
        };
        if magic != magic::OPTION {
            return self.close();
        }
        if length > LONGEST_OPTION {
            if option == option::EXPORT_NAME {
                return self.close();
            }
            answer(output, option, reply::TOO_BIG, &[]);
            self.phase = Phase::Skipping(length);
            return Step::Took(OPTION_BYTES);
        }
        let Some(data) = reader.0.get(..length as usize) else { return Step::Starved };
        let taken = OPTION_BYTES + data.len();
        match option {
            option::EXPORT_NAME => {
                let Some(chosen) = self.named(data) else { return self.close() };
                self.chosen = chosen;
                output.extend(self.export.bytes.to_be_bytes());
                output.extend(self.transmission_flags().to_be_bytes());
                output.extend([0; 124].iter().filter(|_| self.zeroes_after_export));
                self.phase = Phase::Commands;
            }
            option::ABORT => {
                answer(output, option, reply::ACK, &[]);
                self.phase = Phase::Closed;
            }
            option::LIST if data.is_empty() => {
                // One export: the empty name, and its other names.
                answer(output, option, reply::SERVER, &[0; 4]);
                for number in 1..self.export.names {
                    let name = number.to_string();
                    let length = (name.len() as u32).to_be_bytes();
                    answer(output, option, reply::SERVER, &[&length, name.as_bytes()].concat());
                }
                answer(output, option, reply::ACK, &[]);
            }
            option::STRUCTURED_REPLY if data.is_empty() => {
                self.structured = true;
                answer(output, option, reply::ACK, &[]);
            }
            option::LIST | option::STRUCTURED_REPLY => {
                answer(output, option, reply::INVALID, &[]);
            }
            option::INFO | option::GO => self.info(option, data, output),
            _ => answer(output, option, reply::UNSUPPORTED, &[]),
        }
        Step::Took(taken)
    }

    fn info(&mut self, option: u32, data: &[u8], output: &mut Vec<u8>) {
        let mut reader = Reader(data);
        let name = reader.u32().and_then(|length| reader.bytes(length as usize));
        let asked = reader.u16().and_then(|count| reader.bytes(2 * count as usize));
        let (Some(name), Some(_), true) = (name, asked, reader.0.is_empty()) else {
            return answer(output, option, reply::INVALID, &[]);
        };
        let Some(chosen) = self.named(name) else {
            return answer(output, option, reply::UNKNOWN, &[]);
        };
        let mut told = info::EXPORT.to_be_bytes().to_vec();
        told.extend(self.export.bytes.to_be_bytes());
        told.extend(self.transmission_flags().to_be_bytes());
        answer(output, option, reply::INFO, &told);
        let mut told = info::BLOCK_SIZE.to_be_bytes().to_vec();
        for bytes in [self.export.sector, self.export.preferred, LONGEST_BYTES] {
            told.extend(bytes.to_be_bytes());
        }
        answer(output, option, reply::INFO, &told);
        answer(output, option, reply::ACK, &[]);
        if option == option::GO {
            self.chosen = chosen;
            self.phase = Phase::Commands;
        }
    }

    /// All connections write to one device. A flush on any of them makes durable what was
    /// acknowledged on all.
    const fn transmission_flags(&self) -> u16 {
        let always = flag::HAS_FLAGS
            | flag::SEND_FLUSH
            | flag::SEND_FUA
            | flag::SEND_TRIM
            | flag::SEND_WRITE_ZEROES
            | flag::CAN_MULTI_CONN;
        if self.structured { always | flag::SEND_DF } else { always }
    }

    fn command(&mut self, input: &[u8], output: &mut Vec<u8>) -> Step {
        let mut reader = Reader(input);
        let (Some(magic), Some(flags), Some(kind), Some(cookie), Some(offset), Some(length)) =
            (reader.u32(), reader.u16(), reader.u16(), reader.u64(), reader.u64(), reader.u32())
        else {
            return Step::Starved;
        };
        if magic != magic::REQUEST {
            return self.close();
        }
        let what = match kind {
            0 => What::Read,
            1 => What::Write,
            2 => return self.close(),
            3 => What::Flush,
            4 => What::Trim,
            6 => What::Zero,
            _ => {
                refuse(
                    output,
                    cookie,
                    self.structured && kind == wire::BLOCK_STATUS,
                    Errno::INVALID,
                );
                return Step::Took(COMMAND_BYTES);
            }
        };
        if what == What::Write && length > LONGEST_BYTES {
            // Skipping the rest would take more bytes than a client should send.
            return self.close();
        }
        let command = Command {
            what,
            cookie,
            offset: if what == What::Flush { 0 } else { offset },
            left: if what == What::Flush { 0 } else { length },
            durable: what == What::Flush || (flags & wire::FUA != 0 && what != What::Read),
            whole: !self.structured || flags & wire::DF != 0,
            sent: false,
            failed: None,
        };
        let failed = self.mistake(&command, flags);
        if let Some(errno) = failed {
            refuse(output, cookie, self.structured && what == What::Read, errno);
            if what == What::Write && length > 0 {
                self.phase = Phase::Under(Command { failed, ..command });
            }
            return Step::Took(COMMAND_BYTES);
        }
        self.piece(command, &input[COMMAND_BYTES..], COMMAND_BYTES, output)
    }

    /// Why a command cannot be executed.
    fn mistake(&self, command: &Command, flags: u16) -> Option<Errno> {
        let Command { what, offset, left, .. } = *command;
        let known = match what {
            What::Read => wire::FUA | if self.structured { wire::DF } else { 0 },
            What::Zero => wire::FUA | wire::NO_HOLE,
            _ => wire::FUA,
        };
        let end = offset.checked_add(u64::from(left)).filter(|end| *end <= self.export.bytes);
        let sector = u64::from(self.export.sector);
        if flags & !known != 0
            || !offset.is_multiple_of(sector)
            || !u64::from(left).is_multiple_of(sector)
        {
            return Some(Errno::INVALID);
        }
        match what {
            What::Flush => None,
            What::Read if left > LONGEST_BYTES => Some(Errno::OVERFLOW),
            _ if end.is_some() => None,
            What::Write | What::Zero => Some(Errno::NO_SPACE),
            What::Read | What::Trim => Some(Errno::INVALID),
        }
    }

    /// The next piece of a command. Its data begins at the start of `input`, after `before` other
    /// bytes of the message.
    fn piece(
        &mut self,
        command: Command,
        input: &[u8],
        before: usize,
        output: &mut Vec<u8>,
    ) -> Step {
        let Command { what, offset, left, .. } = command;
        let room = PIECE_BYTES - (offset % u64::from(PIECE_BYTES)) as u32;
        let length = left.min(room);
        let data = before..before + if what == What::Write { length as usize } else { 0 };
        if input.len() < data.len() {
            return Step::Starved;
        }
        let taken = data.end;
        let last = length == left;
        let next = Command { offset: offset + u64::from(length), left: left - length, ..command };
        self.phase = Phase::Under(next);
        if command.failed.is_some() {
            if last {
                self.phase = Phase::Commands;
            }
            return Step::Took(taken);
        }
        if what == What::Read {
            self.begin_read(command, length, output);
        }
        let durable = command.durable && last;
        Step::Do(taken, Piece { what, offset, length, data, durable, last })
    }

    /// The head of an answer, before the data read.
    fn begin_read(&self, command: Command, length: u32, output: &mut Vec<u8>) {
        let Command { cookie, offset, left, whole, sent, .. } = command;
        if self.structured && !(whole && sent) {
            let length = if whole { left } else { length };
            let last = length == left;
            let (kind, size) =
                if length == 0 { (wire::NONE, 0) } else { (wire::OFFSET_DATA, 8 + length) };
            chunk(output, cookie, u16::from(last), kind, size);
            if length > 0 {
                output.extend(offset.to_be_bytes());
            }
        } else if !self.structured && !sent {
            simple(output, cookie, 0);
        }
    }

    /// Answers a piece that was executed; the data read follows the head that [`step`](Self::step)
    /// wrote.
    pub fn done(&mut self, piece: &Piece, output: &mut Vec<u8>) {
        let Phase::Under(command) = &mut self.phase else { return };
        command.sent = true;
        if piece.last {
            if command.what != What::Read {
                simple(output, command.cookie, 0);
            }
            self.phase = Phase::Commands;
        }
    }

    /// Answers a piece that has failed and is not in the output. The rest of its command is
    /// skipped.
    pub fn failed(&mut self, piece: &Piece, errno: Errno, output: &mut Vec<u8>) {
        let Phase::Under(command) = self.phase else { return };
        let read = command.what == What::Read;
        self.phase = match () {
            // The client would take the next bytes for the data that it requested.
            () if read && command.whole && command.sent => Phase::Closed,
            () if command.what == What::Write && !piece.last => {
                Phase::Under(Command { failed: Some(errno), ..command })
            }
            () => Phase::Commands,
        };
        if self.is_open() {
            refuse(output, command.cookie, self.structured && read, errno);
        }
    }
}

fn answer(output: &mut Vec<u8>, option: u32, reply: u32, data: &[u8]) {
    output.extend(magic::OPTION_REPLY.to_be_bytes());
    output.extend(option.to_be_bytes());
    output.extend(reply.to_be_bytes());
    output.extend((data.len() as u32).to_be_bytes());
    output.extend(data);
}

fn simple(output: &mut Vec<u8>, cookie: u64, errno: u32) {
    output.extend(magic::SIMPLE_REPLY.to_be_bytes());
    output.extend(errno.to_be_bytes());
    output.extend(cookie.to_be_bytes());
}

fn chunk(output: &mut Vec<u8>, cookie: u64, flags: u16, kind: u16, length: u32) {
    output.extend(magic::CHUNK.to_be_bytes());
    output.extend(flags.to_be_bytes());
    output.extend(kind.to_be_bytes());
    output.extend(cookie.to_be_bytes());
    output.extend(length.to_be_bytes());
}

fn refuse(output: &mut Vec<u8>, cookie: u64, structured: bool, errno: Errno) {
    if !structured {
        return simple(output, cookie, errno.0);
    }
    chunk(output, cookie, wire::DONE, wire::ERROR, 6);
    output.extend(errno.0.to_be_bytes());
    output.extend([0; 2]);
}

#[cfg(test)]
mod tests;
