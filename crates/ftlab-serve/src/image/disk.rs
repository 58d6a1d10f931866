//! What an image lies on: bytes at places, and a barrier.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// What is assumed of it is written in `docs/live-device.md`.
pub trait Disk: Send + Sync {
    /// Reads all bytes from a place on.
    ///
    /// # Errors
    /// Those of the system; what lies behind the end cannot be read.
    fn read_at(&self, bytes: &mut [u8], place: u64) -> io::Result<()>;

    /// Writes all bytes from a place on. They are durable after the next [`Disk::sync`], and in no order before.
    ///
    /// # Errors
    /// Those of the system.
    fn write_at(&self, bytes: &[u8], place: u64) -> io::Result<()>;

    /// Makes durable what was written before.
    ///
    /// # Errors
    /// Those of the system; nothing is known then of what was written since the last.
    fn sync(&self) -> io::Result<()>;
}

impl Disk for File {
    fn read_at(&self, bytes: &mut [u8], place: u64) -> io::Result<()> {
        self.read_exact_at(bytes, place)
    }

    fn write_at(&self, bytes: &[u8], place: u64) -> io::Result<()> {
        self.write_all_at(bytes, place)
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_data()
    }
}
