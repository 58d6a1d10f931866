//! The device of the text: one open block in each plane, GC that keeps to it, 2,048 data and 4 extra blocks.

use super::*;
use crate::device::DeviceConfig;
use crate::flash::{BlockKind, Cause, Device, Operation};
use crate::ftl::Access;
use crate::ftl::{Design, Ftl, FtlConfig};
use crate::gc::{GcConfig, GcMode};
use crate::rng::Rng;
use crate::units::Lpn;

const PLANES: u32 = 2;

/// Two planes of 2,048 data blocks of four pages and `extra` ones. The map takes two blocks of each plane.
fn setup(extra: u32, ftl: FtlConfig, gc: GcConfig) -> Setup<DftlConfig> {
    let device = DeviceConfig {
        planes_per_die: PLANES,
        pages_per_block: 4,
        blocks: Some(PLANES * (2048 + extra)),
        ..DeviceConfig::default()
    };
    let mut setup = Setup { device, ftl, gc, ..Setup::default() };
    Dloop::set(&mut setup);
    setup
}

fn device(setup: &Setup<DftlConfig>) -> Device {
    Device::new(&setup.device, u64::from(PLANES) * 2048 * 4 * 4096).expect("a device")
}

const TEXT: (MapBlocks, MapUpdates) = (MapBlocks::Shared, MapUpdates::Held);

fn ftl((map_blocks, map_updates): (MapBlocks, MapUpdates)) -> FtlConfig {
    FtlConfig { map_blocks, map_updates, ..FtlConfig::default() }
}

fn gc(low: u32) -> GcConfig {
    GcConfig { low, high: low + 1, mode: GcMode::Single, ..GcConfig::default() }
}

/// The fewest extra blocks of a plane that are not refused.
fn fewest_extra(rules: (MapBlocks, MapUpdates), low: u32) -> u32 {
    let works = |extra: &u32| {
        let setup = setup(*extra, ftl(rules), gc(low));
        DemandFtl::<Dftl>::build(&setup, &mut device(&setup)).is_ok()
    };
    (1..20).find(works).expect("twenty are enough")
}

/// III.C has four. Two are the map's, one is open, and one is all that GC needs if it keeps to its plane.
#[test]
fn four_extra_blocks_are_enough_where_gc_keeps_to_its_plane() {
    let own = (MapBlocks::Own, MapUpdates::Written);
    assert_eq!(fewest_extra(own, 1), 9, "three in reserve, one more when GC ends");
    assert_eq!(fewest_extra((MapBlocks::Own, MapUpdates::Held), 1), 5);
    assert_eq!(fewest_extra(TEXT, 1), 4);
    assert_eq!(
        fewest_extra(TEXT, 3),
        6,
        "at the text's threshold the map lies beside the 2,048 blocks"
    );
}

/// Every page is valid, and each is written again and again at random: GC gains little, but always.
#[test]
fn the_papers_full_plane_of_2048_and_4_blocks_goes_on_for_ever() {
    let setup = setup(4, ftl(TEXT), gc(1));
    let mut flash = device(&setup);
    let mut ftl = DemandFtl::<Dftl>::build(&setup, &mut flash).expect("room");
    let pages = flash.geometry().logical_pages;
    (0..pages).for_each(|lpn| ftl.write(Access::write(&[Lpn(lpn)]), &mut flash));
    let mut rng = Rng::new(1, "full");
    for _ in 0..20_000 {
        ftl.write(Access::write(&[Lpn(rng.below(u64::from(pages)) as u32)]), &mut flash);
    }
    ftl.audit(&flash);
    let own = ftl.metrics().own;
    assert!(own["map.held_max"] > 0 && own["map.held_max"] < u64::from(pages), "{own:?}");
    let ledger = flash.ledger();
    assert_eq!(ledger.erases(BlockKind::Translation), 0, "no block is of translation pages alone");
    assert!(
        ledger.get(Operation::CopyBack, Cause::GcTranslation) > 0,
        "they are moved with the others"
    );
}

/// Writes that go to plane 0, until it is collected: the other plane gains no page by that.
#[test]
fn gc_that_holds_the_map_writes_to_its_plane_alone() {
    let of_rules = |rules| {
        let setup = setup(12, ftl(rules), gc(3));
        let mut flash = device(&setup);
        let mut ftl = DemandFtl::<Dftl>::build(&setup, &mut flash).expect("room");
        let pages = flash.geometry().logical_pages;
        (0..pages).for_each(|lpn| ftl.write(Access::write(&[Lpn(lpn)]), &mut flash));
        let mut rng = Rng::new(2, "one plane");
        for _ in 0..2_000 {
            let page = rng.below(u64::from(pages / PLANES)) as u32;
            ftl.write(Access::write(&[Lpn(PLANES * page)]), &mut flash);
        }
        ftl.audit(&flash);
        (flash.ledger().get(Operation::Program, Cause::GcMapping), ftl.metrics().own)
    };
    let (written, own) = of_rules((MapBlocks::Own, MapUpdates::Written));
    assert!(own.is_empty(), "nothing is held: {own:?}");
    let (after, own) = of_rules((MapBlocks::Own, MapUpdates::Held));
    assert!(own["map.held"] > 0, "{own:?}");
    assert!(after < written, "{after} updates of the map for GC, {written} at once");
}

/// Copies through the controller are a setting of DLOOP, too: only their way differs.
#[test]
fn copies_go_through_the_controller_where_copy_back_is_off() {
    let counts = |copy_back| {
        let mut setup = setup(12, ftl(TEXT), GcConfig { copy_back, ..gc(1) });
        setup.ftl.map_blocks = MapBlocks::Own;
        let mut flash = device(&setup);
        let mut ftl = DemandFtl::<Dftl>::build(&setup, &mut flash).expect("room");
        let mut rng = Rng::new(1, "off");
        for _ in 0..60_000 {
            ftl.write(Access::write(&[Lpn(rng.below(8_000) as u32)]), &mut flash);
        }
        let ledger = flash.ledger();
        (ledger.total(Operation::CopyBack), ledger.get(Operation::Program, Cause::GcData))
    };
    let (back, through) = counts(None);
    assert!(back > 100 && through == 0, "{back} copied back, {through} through the controller");
    let (back, through) = counts(Some(CopyBack::Off));
    assert!(back == 0 && through > 100, "{back} copied back, {through} through the controller");
}
