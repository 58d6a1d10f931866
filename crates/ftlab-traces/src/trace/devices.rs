//! What several devices of an array get, in one pass over the requests of all.

use super::stripes::{Array, Shard};
use crate::error::Error;
use crate::request::{BATCH, Measure, Measured, Request, RequestSource};
use crate::units::Nanos;

/// What a device gets.
struct Share {
    /// Of the present batch.
    requests: Vec<Request>,
    /// Arrival of the first request, once it is known.
    start: Option<Nanos>,
    measure: Measure,
}

/// Reads the requests of an array to their end, and measures what each of `shards` gets. `take` is
/// called with that, batch by batch, and the place of the device among them. `watch` is called after
/// every batch as by [`extents`](crate::request::extents).
///
/// # Errors
/// Those of the source and of `watch`; [`Error::Config`] for devices of several arrays, and for an
/// absurd number of volumes.
pub fn measure_devices(
    source: &mut dyn RequestSource,
    shards: &[Shard],
    take: &mut dyn FnMut(usize, &[Request]),
    watch: &mut dyn FnMut(u64, Option<f64>) -> Result<(), Error>,
) -> Result<Vec<Measured>, Error> {
    let Some(first) = shards.first() else { return Ok(Vec::new()) };
    if shards.iter().any(|shard| shard.stripes() != first.stripes()) {
        let message = "found devices of several arrays, expected those of one";
        return Err(Error::config("input.shard", message));
    }
    let mut array = Array::new(*first.stripes());
    let mut places = vec![None; first.stripes().devices() as usize];
    for (place, shard) in shards.iter().enumerate() {
        places[shard.device() as usize] = Some(place);
    }
    let share = |_: &Shard| Share { requests: Vec::new(), start: None, measure: Measure::new() };
    let mut shares: Vec<Share> = shards.iter().map(share).collect();
    let (mut batch, mut requests) = (Vec::with_capacity(BATCH), 0);
    loop {
        batch.clear();
        source.fill(&mut batch)?;
        if batch.is_empty() {
            return Ok(shares.into_iter().map(|share| share.measure.finish()).collect());
        }
        for request in &batch {
            array.divide(request, |device, part| {
                if let Some(place) = places[device as usize] {
                    shares[place].add(part);
                }
                Ok(())
            })?;
        }
        for (place, share) in shares.iter_mut().enumerate() {
            share.measure.add(&share.requests)?;
            take(place, &share.requests);
            share.requests.clear();
        }
        requests += batch.len() as u64;
        watch(requests, source.progress())?;
    }
}

impl Share {
    #[inline]
    fn add(&mut self, part: Request) {
        let start = *self.start.get_or_insert(part.time);
        self.requests.push(part.at(part.time - start));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::{Flags, Input, Meta, Op, extents};
    use crate::rng::Rng;
    use crate::trace::sharded;
    use std::sync::Arc;

    fn shards(devices: &[u32], array: &str) -> Vec<Shard> {
        let shard = |device| Shard::try_from(format!("{device}/{array}")).expect("a shard");
        devices.iter().map(shard).collect()
    }

    /// Requests that begin late, some of which update handles, on several devices.
    fn drawn() -> Arc<[Request]> {
        let mut rng = Rng::new(1, "devices");
        let request = |number: u64| {
            let update = rng.chance(0.1);
            let flags = if update { Flags::UPDATE } else { Flags::default() };
            let meta = Meta { handle: rng.below(3) as u16, flags, ..Meta::UNSET };
            let (offset, length) = (512 * rng.below(10_000), 512 * (1 + rng.below(100)) as u32);
            Request::new(Op::Write, offset, length).at(100 + number).with_meta(meta)
        };
        (0..10_000).map(request).collect()
    }

    #[test]
    fn each_device_gets_in_one_pass_what_it_gets_alone() {
        let requests = drawn();
        let shards = shards(&[4, 0, 2], "5:16KiB");
        let mut taken = vec![Vec::new(); shards.len()];
        let mut source = Input::open(&requests).expect("requests");
        let measured = measure_devices(
            source.as_mut(),
            &shards,
            &mut |place, requests| taken[place].extend_from_slice(requests),
            &mut |_, _| Ok(()),
        )
        .expect("devices");
        for ((shard, taken), measured) in shards.into_iter().zip(taken).zip(measured) {
            let alone = || sharded(Box::new(Arc::clone(&requests)), Some(shard));
            let mut source = alone().open().expect("requests");
            assert_eq!(extents(source.as_mut(), &mut |_, _| Ok(())).expect("requests"), measured);
            assert_eq!(alone().open().and_then(|mut all| all.rest()).expect("requests"), taken);
        }
    }

    #[test]
    fn devices_of_two_arrays_are_refused() {
        let two = [shards(&[0], "2:16KiB"), shards(&[1], "2:8KiB")].concat();
        let mut source = Input::open(&drawn()).expect("requests");
        let found = measure_devices(source.as_mut(), &two, &mut |_, _| (), &mut |_, _| Ok(()));
        assert!(found.unwrap_err().to_string().contains("found devices of several arrays"));
    }
}
