use super::*;
use crate::live::fsck;

/// A new folder, whose image is small.
fn opening(name: &str) -> Opening {
    let folder = std::env::temp_dir().join(format!("ftlab-{name}-{}", std::process::id()));
    drop(fs::remove_dir_all(&folder));
    fs::create_dir(&folder).expect("a folder");
    let settings = json!({ "device": { "capacity": "1MiB", "pages_per_block": 16, "over_provisioning": "50%" } });
    Opening {
        image: folder.join("image"),
        settings: settings.as_object().expect("a table").clone(),
        ftl: Some("page".into()),
        paced: false,
        record: None,
        hint: None,
    }
}

fn refusal(opening: &Opening) -> String {
    let opened = opening.open(&Catalog::standard());
    opened.err().expect("a refusal").to_string()
}

fn remove(opening: &Opening) {
    fs::remove_dir_all(opening.image.parent().expect("a folder")).expect("it goes");
}

/// What an image does not say of settings that came later is their defaults: it opens, and other values are refused.
#[test]
fn an_image_from_before_a_setting_was_there_has_its_default() {
    let mut opening = opening("older");
    drop(opening.open(&Catalog::standard()).expect("a new image"));
    let file = File::options().read(true).write(true).open(&opening.image).expect("an image");
    let mut superblock = Superblock::read(&file).expect("it reads").expect("a superblock");
    superblock.config.remove("wear").expect("a section");
    let device = superblock.config["device"].as_object_mut().expect("a table");
    device.remove("suspend").expect("a setting");
    device.remove("trim").expect("a setting");
    file.write_all_at(&superblock.bytes().expect("few settings"), 0).expect("it writes");
    drop(file);
    drop(opening.open(&Catalog::standard()).expect("an older image"));
    merge(&mut opening.settings, json!({ "wear": { "policy": "static" } }).as_object().unwrap());
    let refusal = refusal(&opening);
    assert_eq!(refusal, r#"wear.policy: found "static", expected "dynamic", that of the image"#);
    remove(&opening);
}

/// A device that goes without a word after two pages were written, and the first was trimmed; both are read then.
fn after_a_trim(trim: &str) -> [Vec<u8>; 2] {
    let mut opening = opening(&format!("trim-{trim}"));
    merge(&mut opening.settings, json!({ "device": { "trim": trim } }).as_object().unwrap());
    let mut live = opening.open(&Catalog::standard()).expect("a new image");
    live.write(0, 0, &[7; 8192], false).expect("it writes");
    live.trim(0, 4096).expect("it trims");
    drop(live);
    let mut live = opening.open(&Catalog::standard()).expect("an image");
    let pages = [0, 4096].map(|offset| {
        let mut page = Vec::new();
        live.read(offset, 4096, &mut page).expect("it reads");
        page
    });
    live.write(0, 0, &[8; 4096], false).expect("it writes");
    live.close().expect("the books balance");
    drop(live);
    let report = fsck(&Catalog::standard(), &opening.image).expect("an image");
    assert_eq!((report.holding_data, report.broken), (2, None), "what was written since is there");
    remove(&opening);
    pages
}

#[test]
fn what_was_trimmed_comes_back_unless_trims_are_durable() {
    assert_eq!(after_a_trim("hint"), [[7; 4096]; 2]);
    assert_eq!(after_a_trim("durable"), [[0; 4096], [7; 4096]]);
}

#[test]
fn settings_that_have_no_place_in_an_image_are_refused_in_one_line() {
    let mut opening = opening("long");
    let input = json!({ "input": { "trace": "x".repeat(70_000) } });
    merge(&mut opening.settings, input.as_object().expect("a table"));
    let refusal = refusal(&opening);
    assert!(refusal.starts_with("image: found 7"), "{refusal}");
    assert!(refusal.ends_with(" B of settings, expected at most 65512"), "{refusal}");
    assert!(!opening.image.exists());
    remove(&opening);
}
