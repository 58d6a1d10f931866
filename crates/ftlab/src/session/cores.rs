//! Turns on the cores. If more simulations than cores ran at a time, each switch would evict a
//! device from the CPU's caches. Each simulation therefore works off its queue before another has
//! its turn.

use std::mem;
use std::sync::{Condvar, LazyLock, Mutex, PoisonError};
use std::thread::available_parallelism;

/// The cores of the machine, for all sessions of the process.
static CORES: LazyLock<Cores> =
    LazyLock::new(|| Cores { free: Mutex::new(available_cores()), returned: Condvar::new() });

/// Simulations that work at a time: the cores that the system gives this process.
#[must_use]
pub fn available_cores() -> usize {
    available_parallelism().map_or(1, usize::from)
}

struct Cores {
    free: Mutex<usize>,
    returned: Condvar,
}

/// The right to use a core, until it is dropped.
pub struct Turn;

impl Turn {
    /// Waits for a core.
    pub fn take() -> Self {
        let free = CORES.free.lock().unwrap_or_else(PoisonError::into_inner);
        let free = CORES.returned.wait_while(free, |free| *free == 0);
        *free.unwrap_or_else(PoisonError::into_inner) -= 1;
        Turn
    }

    /// Gives the core of this thread to others while it waits.
    pub fn pause<T>(wait: impl FnOnce() -> T) -> T {
        drop(Turn);
        let found = wait();
        mem::forget(Turn::take());
        found
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        *CORES.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        CORES.returned.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    #[test]
    fn no_more_turns_are_taken_than_there_are_cores() {
        let cores = available_cores();
        let (working, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            for _ in 0..4 * cores {
                scope.spawn(|| {
                    for _ in 0..100 {
                        let _turn = Turn::take();
                        most.fetch_max(
                            working.fetch_add(1, Ordering::SeqCst) + 1,
                            Ordering::SeqCst,
                        );
                        thread::yield_now();
                        working.fetch_sub(1, Ordering::SeqCst);
                        Turn::pause(thread::yield_now);
                    }
                });
            }
        });
        assert!((1..=cores).contains(&most.into_inner()));
    }
}
