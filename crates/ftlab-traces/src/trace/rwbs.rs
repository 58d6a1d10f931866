//! RWBS, the letters with which Linux' block layer writes what a request does.
//!
//! `R` read, `W` write, `D` discard, `N` no data, `Z` work on a zone, with flags around. An `F` in front is a flush, before
//! the data if there are any; an `F` behind `W` is FUA, as `fill_rwbs` of blkparse writes them.

use crate::request::Op;

/// What RWBS says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Rwbs {
    /// Whether a flush comes first.
    pub(super) flushes: bool,
    /// What is done with data, if there are any.
    pub(super) op: Option<Op>,
    /// Whether a zone is reset, opened, closed or finished, which moves no data.
    pub(super) zone: bool,
}

/// What the letters `rwbs` say, if they are such letters.
pub(super) fn operation(rwbs: &[u8]) -> Option<Rwbs> {
    if !rwbs.iter().all(u8::is_ascii_uppercase) {
        return None;
    }
    let behind = rwbs.strip_prefix(b"F");
    let op = match behind.unwrap_or(rwbs) {
        [b'R', ..] => Some(Op::Read),
        [b'W', b'F', ..] => Some(Op::WriteThrough),
        [b'W', ..] => Some(Op::Write),
        [b'D', ..] => Some(Op::Trim),
        [b'N' | b'F' | b'S', ..] => None,
        // An append writes where the device decides, so it has no address.
        [b'Z', b'R' | b'O' | b'C' | b'F', ..] => None,
        [] if behind.is_some() => None,
        _ => return None,
    };
    Some(Rwbs { flushes: behind.is_some(), op, zone: rwbs.starts_with(b"Z") })
}

/// As [`operation`], where other words may stand as well: only flags in the order in which Linux
/// writes them.
pub(super) fn exact(text: &[u8]) -> Option<Rwbs> {
    let body = text.strip_prefix(b"F").unwrap_or(text);
    let flags = body.get(1..).unwrap_or_default();
    let flags =
        if body.first() == Some(&b'D') { flags.strip_prefix(b"E").unwrap_or(flags) } else { flags };
    let mut order = b"FASMU".iter();
    let ordered = flags.iter().all(|flag| order.any(|known| known == flag));
    operation(text).filter(|_| ordered)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rwbs_says_what_a_request_does() {
        for (rwbs, flushes, op) in [
            ("R", false, Some(Op::Read)),
            ("RSM", false, Some(Op::Read)),
            ("W", false, Some(Op::Write)),
            ("WFS", false, Some(Op::WriteThrough)),
            ("FW", true, Some(Op::Write)),
            ("FWFSM", true, Some(Op::WriteThrough)),
            ("D", false, Some(Op::Trim)),
            ("DE", false, Some(Op::Trim)),
            ("N", false, None),
            ("F", true, None),
            ("FF", true, None),
            ("FN", true, None),
        ] {
            assert_eq!(
                operation(rwbs.as_bytes()),
                Some(Rwbs { flushes, op, zone: false }),
                "{rwbs}"
            );
        }
        for word in ["RENAME", "RESET", "DELETE", "WMS", "NOP", "FORMAT"] {
            assert_eq!(exact(word.as_bytes()), None, "{word}");
        }
        for word in ["R", "RA", "WSM", "FWFS", "FF", "FN", "DES", "N"] {
            assert_eq!(exact(word.as_bytes()), operation(word.as_bytes()), "{word}");
            assert!(exact(word.as_bytes()).is_some(), "{word}");
        }
        for rwbs in ["ZR", "ZRS", "ZO", "ZC", "ZF"] {
            let zone = Some(Rwbs { flushes: false, op: None, zone: true });
            assert_eq!(operation(rwbs.as_bytes()), zone, "{rwbs}");
        }
        for rwbs in ["", "X", "r", "W1", "Z", "ZA"] {
            assert_eq!(operation(rwbs.as_bytes()), None, "{rwbs}");
        }
    }
}
