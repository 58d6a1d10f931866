//! Which placement handle the writes of clients have: that of their export, or of their bytes.

use ftlab::Error;
use ftlab::trace::HintBy;

/// What the handle of a write follows from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hint {
    /// The export that the client has opened: each handle has one, and all of them are the same device.
    Export,
    /// The first byte of the write, or its length.
    Bytes(HintBy),
}

impl Hint {
    /// Reads `export`, `range:BYTE:BYTE..` or `size:BYTES:BYTES..`.
    ///
    /// # Errors
    /// [`Error::Config`] says what was found and what was expected.
    pub fn parse(text: &str) -> Result<Self, Error> {
        if text == "export" {
            return Ok(Hint::Export);
        }
        let by = HintBy::try_from(text.to_owned()).ok().filter(|by| by.of_bytes(0, 1).is_some());
        by.map(Hint::Bytes).ok_or_else(|| {
            let message = format!(
                "found {text:?}, expected export, range:BYTE:BYTE.. or size:BYTES:BYTES.. with ascending borders"
            );
            Error::config("hint", message)
        })
    }

    /// The handle of a write.
    pub(crate) fn of(&self, export: u16, offset: u64, length: u32) -> u16 {
        match self {
            Hint::Export => export,
            Hint::Bytes(by) => by.of_bytes(offset, length).unwrap_or(0),
        }
    }
}

/// What was written with a handle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hinted {
    /// Requests.
    pub writes: u64,
    /// Bytes.
    pub bytes: u64,
}
