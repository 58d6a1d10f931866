//! SCSI commands, as traces of virtual disks record them.

use crate::request::Op;

/// What the command `opcode` does to the blocks that its address and length name, if anything.
///
/// Reads and writes of all sizes (6, 10, 12 and 16 bytes), verified writes among them. Everything
/// else moves no data between blocks and the host, or, as UNMAP and WRITE SAME, names its blocks in
/// a place that traces do not record.
pub(super) fn operation(opcode: u8) -> Option<Op> {
    match opcode {
        0x08 | 0x28 | 0xa8 | 0x88 => Some(Op::Read),
        0x0a | 0x2a | 0xaa | 0x8a | 0x2e | 0xae | 0x8e => Some(Op::Write),
        _ => None,
    }
}
