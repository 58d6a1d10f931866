//! Configurations, drawn at random: every FTL under every buffer, every key, tiny and nearly full devices, and
//! every key of an input. Each is refused in a line, or does what an independent count of the requests says.
//!
//! `FTLAB_CONFIGURATIONS=100000` tries so many (`make fuzz`), from `FTLAB_CONFIGURATIONS_FROM=86000` on;
//! `FTLAB_CONFIGURATION=SEED` tries one of them.

mod drawn;
mod inputs;
mod whole;

use drawn::{Answer, Case};
use ftlab::catalog::Catalog;
use ftlab::session::panic_message;
use rustix::time::{ClockId, clock_gettime};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// What counts as never coming to an end, of the time of a processor: others may keep it busy.
const HANG: Duration = Duration::from_secs(60);

fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.cast_unsigned(), time.tv_nsec as u32)
}

#[test]
fn whatever_is_asked_for_is_refused_in_a_line_or_runs_with_sound_books() {
    try_all("configurations", whole::Whole::draw);
}

#[test]
fn whatever_input_is_asked_for_is_refused_in_a_line_or_has_the_requests_that_were_meant() {
    try_all("inputs", inputs::Asked::draw);
}

#[allow(clippy::print_stdout, reason = "how many there were is what fuzzing tells")]
fn try_all<C: Case + 'static>(what: &str, draw: fn(&Catalog, u64) -> C) {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse().expect(name));
    let seeds = match number("FTLAB_CONFIGURATION") {
        Some(seed) => seed..seed + 1,
        None => {
            let from = number("FTLAB_CONFIGURATIONS_FROM").unwrap_or(0);
            from..number("FTLAB_CONFIGURATIONS").unwrap_or(1000).max(from)
        }
    };
    let all = seeds.end - seeds.start;
    let (tell, told) = channel();
    thread::spawn(move || {
        let catalog = Catalog::standard();
        for seed in seeds {
            tell.send((seed, None)).expect("someone listens");
            let case = catch_unwind(AssertUnwindSafe(|| draw(&catalog, seed).run(&catalog)));
            let answer = case.unwrap_or_else(|panic| Err(panic_message(panic.as_ref())));
            tell.send((seed, Some(answer))).expect("someone listens");
        }
    });
    let failed = |seed: u64, message: &str| {
        panic!("seed {seed}, {}: {message}", draw(&Catalog::standard(), seed))
    };
    let mut begun = processor_time();
    let (mut now, mut accepted, mut refused, mut left) = (0, 0_u64, 0_u64, 0_u64);
    loop {
        match told.recv_timeout(HANG) {
            Ok((seed, None)) => (now, begun) = (seed, processor_time()),
            Ok((_, Some(Ok(Answer::Ran)))) => accepted += 1,
            Ok((_, Some(Ok(Answer::Refused)))) => refused += 1,
            Ok((_, Some(Ok(Answer::TooLong)))) => left += 1,
            Ok((seed, Some(Err(message)))) => failed(seed, &message),
            Err(RecvTimeoutError::Timeout) if processor_time() - begun < HANG => {}
            Err(RecvTimeoutError::Timeout) => failed(now, &format!("no end after {HANG:?}")),
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    println!("{all} {what}: {accepted} ran, {refused} refused, {left} left out as too long");
    assert!(all < 100 || accepted > all / 5, "{accepted} of {all} ran");
}
