use super::*;
use crate::request::{Op, Request};
use std::collections::BTreeMap;

/// No job here makes as many requests: one that does not end fails.
const MOST: u64 = 1 << 20;

/// The requests of a job file, of a device with 1 GiB.
fn requests(text: &str) -> Result<Vec<Request>, String> {
    taken(text, None)
}

fn taken(text: &str, requests: Option<u64>) -> Result<Vec<Request>, String> {
    let world = World { capacity: Some(1 << 30), folder: Path::new("") };
    let stages = stages(text, &world, requests.is_some(), 1)
        .map_err(|told| format!("{}: {}", told.line.unwrap_or_default(), told.message))?;
    let requests = requests.or(Some(MOST));
    let plan = Plan { name: "test".into(), stages: stages.into(), requests };
    let all = plan.open().expect("a stream").rest().expect("requests");
    assert_eq!(all, plan.open().expect("a stream").rest().expect("requests"), "the same again");
    assert!(all.is_sorted_by_key(|request| request.time) && (all.len() as u64) < MOST);
    if let Some(end) = plan.address_space_bytes() {
        assert!(all.iter().all(|request| request.end() <= end));
    }
    Ok(all)
}

fn places(requests: &[Request]) -> Vec<(Op, u64, u32)> {
    requests.iter().map(|request| (request.op, request.offset, request.length)).collect()
}

#[test]
fn sequential_jobs_go_on_and_begin_anew() {
    let all = requests("[a]\nrw=write\nbs=16k\nsize=48k\nio_size=80k\noffset=10k\n").expect("jobs");
    let starts: Vec<u64> = all.iter().map(|request| request.offset - 10_240).collect();
    assert_eq!(starts, [0, 16_384, 32_768, 0, 16_384]);
    let all = requests("[a]\nrw=write:4k\nbs=8k\nsize=1m\n").expect("jobs");
    assert_eq!((all.len(), all[1].offset), (85, 12_288), "no room behind a hole ends the job");
    let all = requests("[a]\nrw=trimwrite\nsize=8k\nnumber_ios=2\n").expect("jobs");
    let expected = [(Op::Trim, 0), (Op::Write, 0), (Op::Trim, 4096), (Op::Write, 4096)];
    assert_eq!(places(&all), expected.map(|(op, offset)| (op, offset, 4096)));
}

#[test]
fn holes_lead_to_the_beginning_and_passes_begin_anew() {
    let starts = |text: &str| {
        let all = requests(&format!("[a]\nrw=write:{text}\n")).expect(text);
        all.iter().map(|request| request.offset >> 12).collect::<Vec<_>>()
    };
    let all = starts("20k\nbs=4k\nsize=1m");
    assert_eq!((all.len(), &all[42..45]), (256, &[252, 0, 6][..]), "a hole beyond the end");
    assert_eq!(starts("18446744073709551615\nsize=12k"), [0, 0, 0]);
    // A request that ends where the space does ends a pass.
    assert_eq!(starts("4k\nsize=20k"), [0, 2, 4]);
    assert_eq!(starts("4k\nsize=20k\nloops=2"), [0, 2, 4, 0, 2, 4]);
    assert_eq!(starts("4k\nsize=20k\nio_size=28k"), [0, 2, 4, 0, 2, 4, 0]);
    assert_eq!(starts("4k\nbs=8k\nsize=40k\nio_size=48k"), [0, 3, 6, 0, 3, 6]);
    let all = requests("[a]\nrw=write\nfilesize=8k\nsize=1m\n").expect("jobs");
    assert_eq!(all.len(), 2, "without io_size one pass");
}

#[test]
fn a_pass_of_a_sequential_mix_ends_with_the_first_direction() {
    let all = requests("[a]\nrw=rw\nrwmixread=80\nsize=64k\nio_size=1m\n").expect("jobs");
    let first = all.iter().rposition(|one| one.offset == 15 << 12).expect("an end");
    let passes: Vec<usize> = all
        .windows(2)
        .zip(1..)
        .filter(|(two, _)| two[0].offset == 15 << 12 && two[1].offset == 0)
        .map(|(_, at)| at)
        .collect();
    let pass = passes[0];
    assert!((17..30).contains(&pass) && first > pass, "{passes:?}");
    assert_eq!(places(&all[..pass]), places(&all[pass..2 * pass]), "fio repeats its passes");
}

#[test]
fn lengths_are_multiples_of_the_smallest() {
    let lengths = |text: &str| {
        let all = requests(&format!("[a]\nrw=randwrite\nsize=1m\n{text}\n")).expect(text);
        let mut lengths: Vec<u32> = all.iter().map(|one| one.length >> 10).collect();
        lengths.sort_unstable();
        lengths.dedup();
        lengths
    };
    assert_eq!(lengths("norandommap\nbssplit=4k/50:6k/50"), [4]);
    assert_eq!(lengths("rw=write\nbssplit=6k/30:13k/30:20k/40"), [6, 12, 18]);
    // The longest is another one.
    assert_eq!(lengths("bsrange=6k-20k"), [6, 12, 18, 20]);
}

#[test]
fn reads_and_writes_of_a_sequential_mix_have_places_of_their_own() {
    let all = requests("[a]\nrw=rw\nrwmixwrite=25\nsize=4m\n").expect("jobs");
    for op in [Op::Read, Op::Write] {
        let own: Vec<u64> = all.iter().filter(|one| one.op == op).map(|one| one.offset).collect();
        assert!(own.iter().zip(0u64..).all(|(offset, index)| *offset == index * 4096), "{op:?}");
    }
    let reads = all.iter().filter(|one| one.op == Op::Read).count();
    assert!((710..830).contains(&reads) && all.len() == 1024, "{reads}");
}

#[test]
fn each_block_comes_once_in_a_pass_unless_norandommap_says_otherwise() {
    let text = "[a]\nrw=randwrite\nsize=4m\nio_size=8m\n";
    let all = requests(text).expect("jobs");
    for pass in all.chunks(1024) {
        let mut starts: Vec<u64> = pass.iter().map(|one| one.offset / 4096).collect();
        starts.sort_unstable();
        assert!(starts.iter().copied().eq(0..1024));
    }
    assert_eq!(places(&all[..1024]), places(&all[1024..]), "fio repeats its passes");
    for other in ["randrepeat=0", "randseed=7", "rate=1g\ntime_based\nruntime=10ms"] {
        let all = requests(&format!("{text}{other}\n")).expect("jobs");
        assert_ne!(places(&all[..1024]), places(&all[1024..2048]), "{other}");
    }
    let free = requests(&format!("{text}norandommap\n")).expect("jobs");
    let mut distinct: Vec<u64> = free[..1024].iter().map(|one| one.offset).collect();
    distinct.sort_unstable();
    distinct.dedup();
    assert!((590..700).contains(&distinct.len()), "{}", distinct.len());
}

#[test]
fn long_requests_use_the_blocks_that_are_free() {
    let all =
        requests("[a]\nrw=randwrite\nbssplit=4k/50:64k/50\nsize=16m\nio_size=32m\n").expect("jobs");
    let mut used = vec![0u32; 4096];
    for one in &all {
        assert_eq!(one.length % 4096, 0);
        (one.offset / 4096..one.end() / 4096).for_each(|block| used[block as usize] += 1);
    }
    assert!(used.iter().all(|times| *times == 2), "twice in two passes");
    assert!(all.iter().any(|one| (8192..65_536).contains(&one.length)), "some are cut short");
}

#[test]
fn runs_repeats_and_shares() {
    let all = requests("[a]\nrw=randwrite:8\nsize=4m\n").expect("jobs");
    let follow = all.windows(2).filter(|two| two[1].offset == two[0].end()).count();
    assert!((880..=900).contains(&follow), "{follow}");
    let all = requests("[a]\nrw=randread:4\nrw_sequencer=identical\nsize=4m\n").expect("jobs");
    assert!(all.chunks(4).all(|four| four.iter().all(|one| one.offset == four[0].offset)));
    let all = requests("[a]\nrw=randwrite\npercentage_random=30\nsize=4m\n").expect("jobs");
    let follow = all.windows(2).filter(|two| two[1].offset == two[0].end()).count();
    assert!((660..770).contains(&follow), "{follow}");
}

#[test]
fn jobs_take_turns_by_depth_or_flow_and_stop_at_walls() {
    let both = "[global]\nrw=write\nfilename=d\nsize=4m\n[a]\niodepth=3\n[b]\nbs=8k\n[c]\nstonewall\nsize=1m\n";
    let all = requests(both).expect("jobs");
    let of = |part: &[Request], job| part.iter().filter(|one| one.meta.initiator == job).count();
    for part in all[..1200].chunks(4) {
        assert_eq!((of(part, 0), of(part, 1)), (3, 1), "a round");
    }
    assert!(all[all.len() - 256..].iter().all(|one| one.meta.initiator == 2), "behind the wall");
    assert!(all.iter().all(|one| one.volume == 0 && one.time == 0));
    let flows = both.replace("iodepth=3", "iodepth=3\nflow=1").replace("bs=8k", "bs=8k\nflow=2");
    let all = requests(&flows).expect("jobs");
    assert_eq!((of(&all[..300], 0), of(&all[..300], 1)), (100, 200));
}

#[test]
fn clones_have_files_of_their_own_or_parts_of_one() {
    let all = requests("[a]\nrw=write\nsize=8k\nnumjobs=3\n").expect("jobs");
    let mut volumes: BTreeMap<u32, usize> = BTreeMap::new();
    all.iter().for_each(|one| *volumes.entry(one.volume).or_default() += 1);
    assert_eq!(volumes, BTreeMap::from([(0, 2), (1, 2), (2, 2)]));
    let text = "[a]\nrw=write\nsize=8k\nnumjobs=3\nfilename=d\noffset_increment=8k\n";
    let mut starts: Vec<u64> = requests(text).expect("jobs").iter().map(|one| one.offset).collect();
    starts.sort_unstable();
    assert_eq!(starts, [0, 4096, 8192, 12_288, 16_384, 20_480]);
}

#[test]
fn rates_and_pauses_make_times() {
    let all = requests("[a]\nrw=write\nsize=1m\nrate_iops=1000\n").expect("jobs");
    assert!(all.iter().zip(0u64..).all(|(one, index)| one.time == index * 1_000_000));
    let text = "[a]\nrw=randwrite\nsize=1m\nrate=4m\ntime_based\nruntime=2s\n";
    assert_eq!(requests(text).expect("jobs").len(), 2048);
    let all = requests(&format!("{text}rate_process=poisson\n")).expect("jobs");
    assert!((1850..2250).contains(&all.len()), "{}", all.len());
    let all =
        requests("[a]\nrw=write\nsize=64k\nthinktime=10\nthinktime_blocks=2\n").expect("jobs");
    assert_eq!(
        all[..5].iter().map(|one| one.time).collect::<Vec<_>>(),
        [0, 0, 10_000, 10_000, 20_000]
    );
    let two =
        "[global]\nrw=write\nsize=1m\n[a]\nrate_iops=1000\n[b]\nrate_iops=500\nstartdelay=1ms\n";
    let all = requests(two).expect("jobs");
    assert_eq!(all[..4].iter().map(|one| one.meta.initiator).collect::<Vec<_>>(), [0, 0, 1, 0]);
}

#[test]
fn writes_have_the_handles_of_their_job() {
    let text = "[global]\nrw=write\nsize=64k\nfdp=1\n[a]\nplids=3\n[b]\nfdp_pli=1,4-5\nwrite_hint=short\n[c]\nfdp=0\n";
    let all = requests(text).expect("jobs");
    let of = |job| all.iter().filter(move |one| one.meta.initiator == job).map(|one| one.meta);
    assert!(of(0).all(|meta| meta.handle == 3));
    assert_eq!(of(1).map(|meta| meta.handle).take(4).collect::<Vec<_>>(), [1, 4, 5, 1]);
    assert!(of(1).all(|meta| meta.lifetime == Lifetime::Short));
    assert!(of(2).all(|meta| meta.handle == 0));
}

#[test]
fn percentages_are_of_the_device() {
    let all = requests("[a]\nrw=write\nbs=1m\noffset=90%\nsize=10%\n").expect("jobs");
    assert_eq!((all.len(), all[0].offset), (102, 922 << 20));
    assert_eq!(requests("[a]\nrw=write\nbs=1m\n").expect("jobs").len(), 1024, "the whole device");
}

#[test]
fn syncs_follow_writes() {
    let all = requests("[a]\nrw=write\nsize=1m\nfsync=32\n").expect("jobs");
    assert_eq!(all.iter().filter(|one| one.op == Op::Flush).count(), 7);
    assert_eq!((all[32].op, all[33].op), (Op::Flush, Op::Write));
}

#[test]
fn jobs_that_time_ends_need_an_end() {
    let text = "[a]\nrw=randwrite\nsize=1m\ntime_based\nruntime=60\n";
    assert!(requests(text).expect_err("no end").contains("--requests N"));
    assert_eq!(taken(text, Some(5000)).expect("jobs").len(), 5000);
    for unused in [
        "rw=read\nrate=,1m",
        "rw=rw\nrwmixread=100\nrate=,1m",
        "rw=randrw\nrwmixread=0\nrate_iops=9,",
    ] {
        let text = format!("[a]\nsize=1m\ntime_based\nruntime=10s\n{unused}\n");
        assert!(requests(&text).expect_err(unused).contains("--requests N"), "{unused}");
    }
    let fast =
        "[a]\nrw=write\nbs=1\nsize=1m\nrate=4g\nrate_process=poisson\ntime_based\nruntime=10us\n";
    let found = requests(fast).expect("jobs").len();
    assert!((42_000..44_000).contains(&found), "{found}");
    let behind = format!("{text}[b]\nstonewall\nsize=1m\n");
    assert!(taken(&behind, Some(5000)).expect_err("no end").contains("does not end"));
}

#[test]
fn stages_of_centuries_have_times() {
    let late = "startdelay=3155000000\nrate_iops=1\nsize=8k\nstonewall\n";
    let text: String = (0..6).map(|job| format!("[{job}]\n{late}")).collect();
    assert_eq!(requests(&text).expect("jobs").len(), 12);
}

#[test]
fn a_mistake_names_its_line() {
    for (text, told) in [
        ("", "0: found no job"),
        ("rw=write\n", "1: found a parameter"),
        ("[]\n", "1: found \"[]\", expected [NAME]"),
        ("[a]\n; x\nrw=wrte\n", "3: rw: found \"wrte\", expected read"),
        ("[a]\nbsplit=4k\n", "2: unknown parameter \"bsplit\" (did you mean \"bssplit\"?)"),
        ("[a]\nread_iolog=f\n", "2: unknown parameter \"read_iolog\""),
        ("[a]\nverify=crc32c\n", "2: found verify=crc32c, which ftlab does not model"),
        ("[a]\nsize=${SIZE}\n", "variables are not replaced"),
        ("[a]\nsize=1m\nbs=2m\n", "1: job \"a\": found a space of 1048576 B"),
        (
            "[a]\nrw=randrw\nbs=4k,16k\nnorandommap\nsize=8k\n",
            "1: job \"a\": found a space of 8192 B, expected room for a request of 16384 B",
        ),
        ("[a]\nend_fsync=1\n", "2: found end_fsync=1, which ftlab does not model; expected 0"),
        ("[a]\nfile_append\n", "2: found file_append=, which ftlab does not model"),
        ("[a]\nfilename_format=$jobname\n", "2: unknown parameter"),
        ("[a]\nsize=1m\nbs=0\n", "3: bs: found \"0\", expected sizes"),
        ("[a]\nsize=1m\nbssplit=4k/60:8k/60\n", "3: bssplit"),
        ("[a]\nsize=1m\nrandom_distribution=normal:20\n", "3: random_distribution"),
        (
            "[a]\nsize=1m\nrandom_distribution=zoned_abs:50/1m:50/1m\nrw=randread\n",
            "zones within the space",
        ),
        ("[a]\nsize=1m\nrw=randrw\nbs=4k,16k\n", "4: bs: found \"4k,16k\", expected norandommap"),
        ("[a]\nsize=1m\nplids=1\n", "3: plids: found \"1\", expected fdp=1"),
        ("[a]\nsize=1m\nfdp=1\n", "3: fdp: found \"1\", expected plids"),
        ("[a]\nsize=1m\nplid_select=scheme\nfdp=1\nplids=0\n", "3: plid_select"),
        ("[a]\nsize=1m\nstartdelay=1\n", "3: startdelay"),
        ("[a]\nsize=1m\ntime_based\n", "3: time_based: found \"\", expected runtime"),
        ("[a]\nsize=1m\nrate=1m\n[b]\nsize=1m\n", "4: job \"a\" has a rate"),
        ("[a]\nsize=1m\nnumjobs=5000\n", "3: numjobs"),
        ("[a]\nsize=9000p\n", "2: size"),
        ("[a]\nsize=4p\nrw=randread\nbs=1\n", "expected norandommap"),
        ("[a]\nsize=1m\nfdp=1\nplids=0-128\n", "4: plids"),
        ("[a]\nsize=1m\nfilename=a:b\n", "3: filename: found \"a:b\", expected one file"),
    ] {
        let found = requests(text).expect_err(text);
        assert!(found.contains(told), "{text:?}: {found}\nexpected {told}");
        assert!(!found.contains(char::is_control), "{found:?}");
    }
}

/// Whatever is written over a job file is run or told, never a panic.
#[test]
#[ignore = "long: part of make test-long"]
fn no_text_breaks_anything() {
    let random = "[global]\nrw=randrw\nbssplit=4k/50:8k/\nrandom_distribution=zoned:50/50:50/50\nsize=64k\n\
                  iodepth=4\nrate=1m\nthinktime=1ms\nplids=0-3\nfdp=1\n[a]\nnumjobs=2\noffset_increment=1%\n";
    let unequal = "[a]\nrw=randrw\nbs=4k,16k,64k\nnorandommap\nsize=32k\nrate=1m,\nrate_process=poisson\nruntime=9\n\
                   [b]\nstonewall\nrw=rw:4k\nbsrange=4k-9k\nsize=32k\nloops=9\nrwmixread=50\nrate=9m\nstartdelay=9\n";
    let mut rng = crate::rng::Rng::new(1, "hostile");
    let alphabet = b"[]=:/,%-0123456789kmgpz.\n ;nabe\xff";
    for round in 0..20_000 {
        let mut bytes = [random, unequal][round % 2].as_bytes().to_vec();
        for _ in 0..=rng.below(3) {
            let at = rng.below(bytes.len() as u64) as usize;
            bytes[at] = alphabet[rng.below(alphabet.len() as u64) as usize];
        }
        let world = World { capacity: Some(1 << 20), folder: Path::new("/none") };
        let text = String::from_utf8_lossy(&bytes);
        match stages(&text, &world, true, 1) {
            Err(told) => assert!(!told.message.contains(char::is_control), "{}", told.message),
            Ok(stages) => {
                let plan = Plan { name: "test".into(), stages: stages.into(), requests: Some(50) };
                let mut batch = Vec::new();
                plan.open().expect("a stream").fill(&mut batch).expect("requests");
                assert!(batch.iter().all(|one| one.length > 0 || one.op == Op::Flush), "{text}");
                if let Some(end) = plan.address_space_bytes() {
                    assert!(batch.iter().all(|one| one.end() <= end), "{text}");
                }
            }
        }
    }
}

#[test]
fn a_section_in_front_makes_a_job_file() {
    let licence = "; all rights\n".repeat(1000) + "[job]\n";
    for (text, expected) in [
        ("; jobs\n\n[global]\nrw=write\n", true),
        ("[job 1]\n", true),
        (&licence, true),
        ("[1, 2]\n", false),
        ("[\n", false),
        ("[{\"a\": 1}]", false),
        ("[]", false),
        ("fio version 3 iolog\n", false),
        ("", false),
    ] {
        assert_eq!(begins_a_section(text.as_bytes()), expected, "{text:?}");
    }
}
