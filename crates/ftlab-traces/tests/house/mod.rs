//! The order of a crate's rooms, and the arrows between them: whoever imports stands above what is imported.
//!
//! The documentation of `lib.rs` lists the rooms (the modules of the crate's root) under a heading that
//! begins with `# Rooms`, an item each or several to an item, the ground first, each name as code: ``[`trace`]``,
//! or `` `trace` `` where a link would lead nowhere. The modules are followed from `lib.rs`; what is compiled for tests alone is left out.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// What one import says: a file of a room needs another room.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arrow {
    /// The file, below the folder of the sources.
    pub file: PathBuf,
    /// The room that the file is in.
    pub from: String,
    /// The room that it imports from.
    pub to: String,
}

/// The rooms of a crate and how they need each other.
#[derive(Debug, Default)]
pub struct House {
    /// The rooms as the documentation lists them, the ground first.
    pub listed: Vec<String>,
    /// The rooms that there are.
    pub rooms: BTreeSet<String>,
    /// Every arrow from one room to another.
    pub arrows: BTreeSet<Arrow>,
}

impl House {
    /// Reads the crate whose sources are in `src`.
    pub fn read(src: &Path) -> House {
        let root = fs::read_to_string(src.join("lib.rs")).expect("a lib.rs");
        let mut house = House { listed: listed(&root), ..House::default() };
        house.rooms = modules(&without_tests(&root)).into_iter().collect();
        for room in house.rooms.clone() {
            house.visit(src, src, &[room]);
        }
        house
    }

    /// Takes in the module at `path`, whose file is in `folder`, and those in it.
    fn visit(&mut self, src: &Path, folder: &Path, path: &[String]) {
        let name = path.last().expect("a module below the root");
        let inner = folder.join(name);
        let files = [folder.join(format!("{name}.rs")), inner.join("mod.rs")];
        let file = files.iter().find(|file| file.is_file()).expect("a file for each module");
        let text = without_tests(&fs::read_to_string(file).expect("a readable file"));
        for to in imported(&text, path.len()) {
            if self.rooms.contains(&to) && to != path[0] {
                let file = file.strip_prefix(src).expect("a file of the sources").to_owned();
                self.arrows.insert(Arrow { file, from: path[0].clone(), to });
            }
        }
        for module in modules(&text) {
            self.visit(src, &inner, &[path, &[module]].concat());
        }
    }

    /// Rooms that are missing in the list, and names in it that are no rooms or come twice.
    pub fn unlisted(&self) -> Vec<String> {
        let mut wrong: Vec<String> =
            self.rooms.iter().filter(|room| !self.listed.contains(room)).cloned().collect();
        let mut known = self.rooms.clone();
        wrong.extend(self.listed.iter().filter(|name| !known.remove(*name)).cloned());
        wrong
    }

    /// The arrows from a room to one that the list has behind it.
    pub fn climbing(&self) -> Vec<&Arrow> {
        let height = |room: &str| self.listed.iter().position(|name| name == room);
        self.arrows.iter().filter(|arrow| height(&arrow.from) < height(&arrow.to)).collect()
    }
}

/// The names under the heading of rooms in the documentation of `lib.rs`.
fn listed(root: &str) -> Vec<String> {
    let lines = root.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim);
    let below = lines.skip_while(|line| !line.starts_with("# Rooms")).skip(1);
    let section: Vec<&str> = below.take_while(|line| !line.starts_with("# ")).collect();
    let items = section.iter().filter(|line| {
        let item = line.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '*');
        item.len() < line.len()
    });
    // The names of an item come before its colon.
    let heads = items.map(|item| item.split_once(':').map_or(*item, |(head, _)| head));
    heads.flat_map(|head| head.split('`').skip(1).step_by(2)).map(str::to_owned).collect()
}

/// The text without comments and without items that are compiled for tests alone.
fn without_tests(text: &str) -> String {
    let mut kept = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let code = line.trim_start();
        if code.starts_with("#[cfg(test)]") {
            let indent = &line[..line.len() - code.len()];
            skip_item(&mut lines, indent);
        } else if !code.starts_with("//") {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

/// Passes over an item or a field, whose last line has the indent of its first.
fn skip_item<'a>(lines: &mut impl Iterator<Item = &'a str>, indent: &str) {
    let mut open = false;
    for line in lines {
        let rest = line.strip_prefix(indent).unwrap_or(line);
        let whole = !open && rest.ends_with([';', ',', '}']);
        if rest.starts_with('}') || (whole && !rest.starts_with(' ')) {
            return;
        }
        open |= rest.ends_with('{');
    }
}

/// The modules that a file declares.
fn modules(text: &str) -> Vec<String> {
    let declared = text.lines().filter_map(|line| line.trim().strip_suffix(';'));
    let named = declared.filter_map(|line| {
        let name = line.strip_prefix("mod ").or_else(|| line.split_once(") mod ").map(|(_, n)| n));
        name.or_else(|| line.strip_prefix("pub mod "))
    });
    named.map(str::to_owned).collect()
}

/// The modules of the root that a module `depth` below it names: by `crate::`, or by as many `super::`.
fn imported(text: &str, depth: usize) -> BTreeSet<String> {
    let root = "super::".repeat(depth);
    let mut found = BTreeSet::new();
    for start in ["crate::", root.as_str()] {
        for (at, _) in text.match_indices(start) {
            let before = text[..at].chars().next_back();
            // Not the tail of `$crate::`, of `my_crate::` or of a longer chain.
            if before.is_none_or(|c| !c.is_alphanumeric() && !"_:$".contains(c)) {
                found.extend(heads(&text[at + start.len()..]));
            }
        }
    }
    found
}

/// The first names of a path: one, or all of a group in braces.
fn heads(rest: &str) -> Vec<String> {
    let Some(group) = rest.strip_prefix('{') else {
        return Vec::from([name(rest)]);
    };
    let (mut names, mut depth, mut fresh) = (Vec::new(), 1, true);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 1 => fresh = true,
            c if fresh && !c.is_whitespace() => {
                names.push(name(&group[at..]));
                fresh = false;
            }
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    names
}

/// The identifier that a text begins with.
fn name(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}
