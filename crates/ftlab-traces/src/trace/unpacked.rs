//! The commands that messages tell, for a file that is compressed or in an archive.
//!
//! Messages have them as `awk ... FILE | ftlab ... -`, which reads the bytes of a plain file.

use super::compress::Compressed;

/// The programs that read a text from their input as well as from a file.
const FILTERS: [&str; 8] = ["awk ", "sed ", "tr ", "iconv ", "head ", "tail ", "grep ", "jq "];

/// The command that prints what is in a file: in an archive, of which a member may be named, or compressed, or both.
/// Nothing for a plain file.
pub(super) fn command(archive: Compressed, is_named: bool, compressed: Compressed) -> String {
    let member = if is_named { " MEMBER" } else { "" };
    let outer = program(archive).map(|program| format!("{program} FILE{member}"));
    match (outer, program(compressed)) {
        (Some(outer), None) => outer,
        (Some(outer), Some(program)) => format!("{outer} | {program}"),
        (None, Some(program)) => format!("{program} FILE"),
        (None, None) => String::new(),
    }
}

/// What prints the plain bytes.
const fn program(compressed: Compressed) -> Option<&'static str> {
    match compressed {
        Compressed::No => None,
        Compressed::Gzip => Some("gzip -dc"),
        Compressed::Bzip2 => Some("bzip2 -dc"),
        Compressed::Xz => Some("xz -dc"),
        Compressed::Zstd => Some("zstd -dc"),
        Compressed::Lz4 => Some("lz4 -dc"),
        Compressed::Tar => Some("tar xOf"),
        Compressed::Zip => Some("unzip -p"),
    }
}

/// A message whose commands read what `command` prints. Commands that are no filters remain as they are.
pub(super) fn told(message: &str, command: &str) -> String {
    let mut told = String::new();
    let mut rest = message;
    while let Some((before, behind)) = rest.split_once(" FILE") {
        rest = behind;
        let is_whole = !behind.starts_with(|c: char| c.is_alphanumeric() || c == '.');
        let filter = before.strip_suffix(" <").unwrap_or(before);
        match start(filter).filter(|_| is_whole) {
            Some(at) => told.extend([&filter[..at], command, " | ", &filter[at..]]),
            None => match before.strip_suffix("; cat").filter(|_| is_whole) {
                Some(before) => told.extend([before, "; ", command]),
                None => told.extend([before, " FILE"]),
            },
        }
    }
    told + rest
}

/// Where the filter begins that a text ends with. What it does is in quotes.
fn start(text: &str) -> Option<usize> {
    let mut is_quoted = false;
    for (at, letter) in text.char_indices().rev() {
        match letter {
            '\'' => is_quoted = !is_quoted,
            _ if is_quoted => {}
            ';' | '|' | '>' => return None,
            _ => {
                let begins = at == 0 || text[..at].ends_with([' ', '(']);
                if begins && FILTERS.iter().any(|filter| text[at..].starts_with(filter)) {
                    return Some(at);
                }
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_read_what_the_command_prints() {
        for (message, expected) in [
            (
                "take one, awk -F, '$2 == \"Q;|\"' FILE | ftlab ... -; and so on",
                "take one, gzip -dc FILE | awk -F, '$2 == \"Q;|\"' | ftlab ... -; and so on",
            ),
            (
                "read it with sed -nE 's/a tr b/c/p' FILE | awk '{$5++} 1' | ftlab ... - with",
                "read it with gzip -dc FILE | sed -nE 's/a tr b/c/p' | awk '{$5++} 1' | ftlab ... - with",
            ),
            (
                "lines; tr '\\r' '\\n' < FILE (read as msr)",
                "lines; gzip -dc FILE | tr '\\r' '\\n' (read as msr)",
            ),
            (
                "points, tr , . < FILE | ftlab ... -; awk -F';' '1' FILE | ftlab ... -",
                "points, gzip -dc FILE | tr , . | ftlab ... -; gzip -dc FILE | awk -F';' '1' | ftlab ... -",
            ),
            (
                "(echo a,b; jq -r '[.a, .b] | @csv' FILE) | ftlab ... -",
                "(echo a,b; gzip -dc FILE | jq -r '[.a, .b] | @csv') | ftlab ... -",
            ),
            (
                "(echo fio version 3 iolog; cat FILE) | ftlab ... -",
                "(echo fio version 3 iolog; gzip -dc FILE) | ftlab ... -",
            ),
        ] {
            assert_eq!(told(message, "gzip -dc FILE"), expected);
        }
    }

    #[test]
    fn other_commands_stay_as_they_are() {
        for message in [
            "record with biosnoop > FILE",
            "with awk; record with biosnoop > FILE",
            "read it with gzip -dc FILE | ftlab ... -",
            "read a member with unzip -p FILE MEMBER | ftlab ... -",
            "use awk or xperf -i FILE.etl -o OUT.csv -a dumper",
            "record version 3 with fio --write_iolog=FILE",
            "found \"it's\" and no more",
        ] {
            assert_eq!(told(message, "gzip -dc FILE"), message);
        }
    }

    #[test]
    fn each_layer_has_its_program() {
        use Compressed::{Gzip, No, Tar, Xz, Zip, Zstd};
        for (archive, is_named, compressed, expected) in [
            (No, false, No, ""),
            (No, false, Zstd, "zstd -dc FILE"),
            (Tar, false, No, "tar xOf FILE"),
            (Tar, true, Gzip, "tar xOf FILE MEMBER | gzip -dc"),
            (Zip, true, No, "unzip -p FILE MEMBER"),
            (Zip, false, Xz, "unzip -p FILE | xz -dc"),
        ] {
            assert_eq!(command(archive, is_named, compressed), expected);
        }
    }
}
