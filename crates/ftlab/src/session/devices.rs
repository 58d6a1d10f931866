//! The devices of an array, each with a reading of its own, of which one pass keeps the requests.

use super::inputs::open_array;
use super::reading::{Decoded, Kept, Reading};
use super::{Progress, Watch, open_input, tick};
use crate::clock::Instant;
use crate::config::Config;
use crate::error::Error;
use crate::request::Request;
use crate::trace::{Shard, measure_devices};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

/// Opens the input of `config` for each device of an array, in one pass over the requests of all. It
/// keeps those of as many devices, from the first on, as fit into `room` bytes. Returns how many
/// devices are open: at least the first, whose requests are kept only if they fit.
///
/// # Errors
/// Those of the input and of `watch`; [`Error::Config`] for devices of several arrays.
pub fn open_devices(
    devices: &[(Shard, Arc<Reading>)],
    config: &Config,
    room: usize,
    watch: Watch<'_>,
) -> Result<usize, Error> {
    let shards: Vec<Shard> = devices.iter().map(|(shard, _)| *shard).collect();
    let config_of = |shard: Shard| {
        let mut config = config.clone();
        config.input.shard = Some(shard);
        config
    };
    let Some(first) = shards.first() else { return Ok(0) };
    let input = open_array(&config_of(*first))?;
    if !input.rereadable() {
        // Nothing is read twice: each device says so itself.
        return Ok(devices.len());
    }
    let room = Arc::new(AtomicUsize::new(room));
    let mut kept: Vec<Kept> = shards.iter().map(|_| Kept::new(&room)).collect();
    let mut last = Instant::now();
    let measured = measure_devices(
        input.open()?.as_mut(),
        &shards,
        &mut |place, requests| keep(&mut kept, place, requests),
        &mut |requests, fraction| {
            tick(&mut last, watch, Progress { phase: "measuring input", requests, fraction })
        },
    )?;
    let open = kept.len().max(1);
    let mut kept = kept.into_iter();
    for ((shard, reading), measured) in devices.iter().zip(measured).take(open) {
        let kept = kept.next();
        // A device that no request reaches says so when it is read.
        if measured.requests > 0 {
            let config = config_of(*shard);
            let input = open_input(&config)?;
            reading.set(Decoded::known(input, config, measured, kept));
        }
    }
    Ok(open)
}

/// Keeps requests of a device; the last devices give up what they have where there is no room.
fn keep(kept: &mut Vec<Kept>, place: usize, requests: &[Request]) {
    let mut more = requests;
    while let Some(device) = kept.get_mut(place) {
        if device.add(more) {
            return;
        }
        more = &[];
        kept.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Input;

    fn opened(room: usize, shards: &[&str]) -> (usize, Vec<Arc<Reading>>, Config) {
        let mut config = Config::default();
        config.workload.requests = Some(20_000);
        let shard = |text: &&str| Shard::try_from((*text).to_owned()).expect("a shard");
        let devices: Vec<_> =
            shards.iter().map(|text| (shard(text), Arc::<Reading>::default())).collect();
        let open = open_devices(&devices, &config, room, &mut |_| Ok(())).expect("devices");
        (open, devices.into_iter().map(|(_, reading)| reading).collect(), config)
    }

    const ALL: [&str; 4] = ["0/4:64KiB", "1/4:64KiB", "2/4:64KiB", "3/4:64KiB"];

    #[test]
    fn what_is_kept_of_a_device_is_what_it_reads_alone() {
        for room in [usize::MAX >> 1, 0] {
            let (open, readings, mut config) = opened(room, &ALL);
            assert_eq!(open, if room == 0 { 1 } else { ALL.len() });
            for (shard, reading) in ALL.into_iter().zip(readings).take(open) {
                config.input.shard = Some(Shard::try_from(shard.to_owned()).expect("a shard"));
                let known = reading.of(&config, &mut |_| panic!("it is open")).expect("an input");
                let alone = Reading::default().of(&config, &mut |_| Ok(())).expect("an input");
                assert_eq!(known.measured, alone.measured);
                let all = |input: &Decoded| {
                    input.open().and_then(|mut source| source.rest()).expect("requests")
                };
                assert_eq!(all(&known), all(&alone));
                assert_eq!(known.keeps(), room > 0);
            }
        }
    }

    #[test]
    fn the_first_devices_are_kept_where_there_is_no_room_for_all() {
        let bytes = 20_000 / 4 * 8;
        let (open, readings, _) = opened(5 * bytes / 2, &ALL);
        assert!((1..ALL.len()).contains(&open), "{open} of {}", ALL.len());
        let set = readings.iter().filter(|reading| reading.is_open()).count();
        assert_eq!(set, open);
    }

    #[test]
    fn a_device_that_no_request_reaches_is_left_to_itself() {
        let mut config = Config::default();
        config.workload.requests = Some(1);
        let shard = |text: &str| Shard::try_from(text.to_owned()).expect("a shard");
        let devices = ALL.map(|text| (shard(text), Arc::<Reading>::default()));
        assert_eq!(open_devices(&devices, &config, 1 << 20, &mut |_| Ok(())).expect("devices"), 4);
        assert_eq!(devices.iter().filter(|(_, reading)| reading.is_open()).count(), 1);
    }

    #[test]
    fn a_stop_ends_the_pass() {
        let devices = [(Shard::try_from("0/2:64KiB".to_owned()).expect("a shard"), Arc::default())];
        let mut config = Config::default();
        config.workload.requests = Some(1_000_000_000_000);
        let stopped = open_devices(&devices, &config, 1 << 20, &mut |_| Err(Error::Interrupted));
        assert!(matches!(stopped, Err(Error::Interrupted)));
    }
}
