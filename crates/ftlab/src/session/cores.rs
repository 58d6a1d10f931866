//! Turns on the cores. More simulations at a time than cores would push each other's devices out of the
//! caches at every switch, so each works off its queue before it is another's turn.

use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::available_parallelism;

/// As many turns at a time as there are cores.
pub struct Cores {
    free: Mutex<usize>,
    returned: Condvar,
}

impl Default for Cores {
    fn default() -> Self {
        let cores = available_parallelism().map_or(1, usize::from);
        Cores { free: Mutex::new(cores), returned: Condvar::new() }
    }
}

impl Cores {
    /// Waits for a turn, which lasts until it is dropped.
    pub fn turn(&self) -> Turn<'_> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let free = self.returned.wait_while(free, |free| *free == 0);
        *free.unwrap_or_else(PoisonError::into_inner) -= 1;
        Turn(self)
    }
}

/// A core is in use.
pub struct Turn<'a>(&'a Cores);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.returned.notify_one();
    }
}
