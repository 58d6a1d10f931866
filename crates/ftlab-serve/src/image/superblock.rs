//! The superblock: of which device an image is.

use super::disk::Disk;
use super::layout::SUPERBLOCK;
use crc32c::crc32c;
use ftlab::Error;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::io;

/// What an image begins with; the number is the version of its form.
const MAGIC: &[u8; 16] = b"ftlab image 1\n\0\0";
const HEAD: usize = MAGIC.len() + 8;

/// Of which device an image is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Superblock {
    /// Version of ftlab that has made it.
    pub ftlab: String,
    /// The FTL.
    pub ftl: String,
    /// Every setting.
    pub config: Map<String, Value>,
    /// Bytes for what the OOB of each page has of a map; images that were made before there was such room have
    /// none.
    #[serde(default)]
    pub oob_bytes: u32,
}

impl Superblock {
    /// Its bytes, which an image begins with.
    ///
    /// # Errors
    /// [`Error::Config`] when there are more settings than have a place.
    pub fn bytes(&self) -> Result<Vec<u8>, Error> {
        let text = serde_json::to_vec(self).expect("settings serialise");
        let most = SUPERBLOCK - HEAD;
        if text.len() > most {
            let message = format!("found {} B of settings, expected at most {most}", text.len());
            return Err(Error::config("image", message));
        }
        let mut bytes = MAGIC.to_vec();
        bytes.extend((text.len() as u32).to_le_bytes());
        bytes.extend(crc32c(&text).to_le_bytes());
        bytes.extend(text);
        Ok(bytes)
    }

    /// Reads it; `None` if there is none, or it is damaged.
    ///
    /// # Errors
    /// Those of the disk.
    pub fn read(disk: &impl Disk) -> io::Result<Option<Self>> {
        let mut bytes = vec![0; SUPERBLOCK];
        match disk.read_at(&mut bytes, 0) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            read => read?,
        }
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("4 bytes"));
        let (length, checksum) = (word(MAGIC.len()) as usize, word(MAGIC.len() + 4));
        let text = bytes.get(HEAD..HEAD + length).filter(|text| crc32c(text) == checksum);
        let text = text.filter(|_| bytes.starts_with(MAGIC));
        Ok(text.and_then(|text| serde_json::from_slice(text).ok()))
    }
}
