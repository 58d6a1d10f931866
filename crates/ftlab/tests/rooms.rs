//! Rooms import downwards: no arrow climbs the list in `lib.rs`.

#[path = "../../ftlab-traces/tests/house/mod.rs"]
mod house;

use house::{Arrow, House};
use std::path::Path;

#[test]
fn no_room_imports_from_one_above_it() {
    let house = House::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    assert_eq!(house.unlisted(), [""; 0], "lib.rs lists every room, once");
    assert_eq!(house.climbing(), Vec::<&Arrow>::new(), "arrows that climb {:?}", house.listed);
    assert!(!house.arrows.is_empty(), "rooms that need nothing are not the rooms of this crate");
}
