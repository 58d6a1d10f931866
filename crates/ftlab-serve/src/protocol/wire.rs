//! The numbers of the protocol, under the names that it gives them.

/// An error, as a client is told it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Errno(pub(super) u32);

impl Errno {
    /// The device cannot read, or write.
    pub const IO: Errno = Errno(5);
    /// The request makes no sense.
    pub const INVALID: Errno = Errno(22);
    /// Behind the end of the device.
    pub const NO_SPACE: Errno = Errno(28);
    /// Longer than a client was told to ask for.
    pub const OVERFLOW: Errno = Errno(75);
}

pub mod magic {
    pub const NBD: u64 = 0x4e42_444d_4147_4943; // NBDMAGIC
    pub const OPTION: u64 = 0x4948_4156_454f_5054; // IHAVEOPT
    pub const OPTION_REPLY: u64 = 0x0003_e889_0455_65a9;
    pub const REQUEST: u32 = 0x2560_9513;
    pub const SIMPLE_REPLY: u32 = 0x6744_6698;
    pub const CHUNK: u32 = 0x668e_33ef;
}

/// Flags of the handshake, and of the export.
pub mod flag {
    pub const FIXED_NEWSTYLE: u16 = 1;
    pub const NO_ZEROES: u16 = 1 << 1;

    pub const HAS_FLAGS: u16 = 1;
    pub const SEND_FLUSH: u16 = 1 << 2;
    pub const SEND_FUA: u16 = 1 << 3;
    pub const SEND_TRIM: u16 = 1 << 5;
    pub const SEND_WRITE_ZEROES: u16 = 1 << 6;
    pub const SEND_DF: u16 = 1 << 7;
    pub const CAN_MULTI_CONN: u16 = 1 << 8;
}

pub mod option {
    pub const EXPORT_NAME: u32 = 1;
    pub const ABORT: u32 = 2;
    pub const LIST: u32 = 3;
    pub const INFO: u32 = 6;
    pub const GO: u32 = 7;
    pub const STRUCTURED_REPLY: u32 = 8;
}

/// Replies to options.
pub mod reply {
    pub const ACK: u32 = 1;
    pub const SERVER: u32 = 2;
    pub const INFO: u32 = 3;
    const ERROR: u32 = 1 << 31;
    pub const UNSUPPORTED: u32 = ERROR | 1;
    pub const INVALID: u32 = ERROR | 3;
    pub const UNKNOWN: u32 = ERROR | 6;
    pub const TOO_BIG: u32 = ERROR | 9;
}

pub mod info {
    pub const EXPORT: u16 = 0;
    pub const BLOCK_SIZE: u16 = 3;
}

/// Flags of commands: durable before it is answered, do not leave a hole, answer in one piece.
pub const FUA: u16 = 1;
pub const NO_HOLE: u16 = 1 << 1;
pub const DF: u16 = 1 << 2;

/// A command that is not served, and whose answer has chunks.
pub const BLOCK_STATUS: u16 = 7;

/// The last chunk of an answer.
pub const DONE: u16 = 1;

/// Types of chunks.
pub const NONE: u16 = 0;
pub const OFFSET_DATA: u16 = 1;
pub const ERROR: u16 = (1 << 15) | 1;

/// Takes numbers from the front of a message.
pub struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    pub const fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let Some((taken, left)) = self.0.split_at_checked(count) else { return None };
        self.0 = left;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.bytes(N).and_then(|bytes| bytes.try_into().ok())
    }

    pub fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_be_bytes)
    }

    pub fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_be_bytes)
    }

    pub fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_be_bytes)
    }
}
