//! Rooms import downwards: no arrow climbs the list in `lib.rs`.

mod house;

use house::{Arrow, House};
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn no_room_imports_from_one_above_it() {
    let house = House::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    assert_eq!(house.unlisted(), [""; 0], "lib.rs lists every room, once");
    assert_eq!(house.climbing(), Vec::<&Arrow>::new(), "arrows that climb {:?}", house.listed);
    assert!(!house.arrows.is_empty(), "rooms that need nothing are not the rooms of this crate");
}

/// A crate of such files.
fn built(name: &str, files: &[(&str, &str)]) -> House {
    let src = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("rooms").join(name);
    for (file, text) in files {
        let path = src.join(file);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder to write in");
        fs::write(path, text).expect("a file to write");
    }
    House::read(&src)
}

const LIB: &str = "//! A crate.\n//!\n//! # Rooms, from the ground upwards\n//!\n\
    //! * [`low`], `middle`: as [`high`] as they are.\n//! * [`high`]\n//!\n//! # More\n//!\n\
    //! * [`other`]\n\nmod high;\npub mod low;\npub(crate) mod middle;\n";

/// The arrows that climb when the room at the bottom says this, in `low.rs` and in `low/deep.rs`.
fn climbing(name: &str, low: &str, deep: &str) -> Vec<(String, String)> {
    let low = format!("mod deep;\n{low}");
    let rooms = [("lib.rs", LIB), ("high/mod.rs", "use crate::low::A;\n"), ("middle.rs", "")];
    let house = built(name, &[&rooms[..], &[("low.rs", &low), ("low/deep.rs", deep)]].concat());
    assert_eq!(house.listed, ["low", "middle", "high"]);
    assert_eq!(house.unlisted(), [""; 0]);
    let climbing = house.climbing().into_iter();
    climbing.map(|arrow| (arrow.file.display().to_string(), arrow.to.clone())).collect()
}

#[test]
fn an_arrow_that_climbs_is_found_however_it_is_written() {
    let found = |file: &str, to: &str| (file.to_owned(), to.to_owned());
    for (name, low) in [
        ("use", "use crate::high::B;\n"),
        ("inline", "fn f() -> crate::high::B {}\n"),
        ("group", "use crate::{\n    low::{A, C},\n    high::{self},\n};\n"),
        ("super", "use super::high::B;\n"),
        ("behind-a-test", "#[cfg(test)]\nmod tests {\n    use A;\n}\nuse crate::high::B;\n"),
    ] {
        assert_eq!(climbing(name, low, ""), [found("low.rs", "high")], "{name}");
    }
    let deep = "use super::super::middle::D;\n";
    assert_eq!(climbing("deep", "", deep), [found("low/deep.rs", "middle")]);
}

#[test]
fn tests_comments_and_a_room_itself_are_left_out() {
    let low = "//! See crate::high::B.\nuse crate::low::deep::C;\n#[cfg(test)]\nmod bench;\n\
        #[cfg(test)]\nuse crate::high::B;\n#[cfg(test)]\nmod tests {\n    mod more {\n    }\n    \
        use crate::high::B;\n}\n";
    assert_eq!(climbing("tests", low, "use super::A;\nuse my_crate::high::B;\n"), []);
}

#[test]
fn a_list_that_is_not_that_of_the_rooms_is_found() {
    let lib = LIB.replace("`middle`", "`meddle`").replace("[`high`]\n//!\n", "[`low`]\n//!\n");
    let house =
        built("list", &[("lib.rs", &lib), ("high.rs", ""), ("low.rs", ""), ("middle.rs", "")]);
    assert_eq!(house.unlisted(), ["high", "middle", "meddle", "low"]);
}
