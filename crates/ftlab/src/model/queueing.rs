//! A single server with Poisson arrivals, first come, first served.
//!
//! * M/G/1: F. Pollaczek 1930, A. Khinchine 1932. The mean wait is `lambda E[S^2] / (2 (1 - rho))`.
//! * M/D/1 is its case of equal service times.

/// Mean response time of M/D/1 in units of the service time: `1 + rho / (2 (1 - rho))`.
#[must_use]
pub fn md1_response(load: f64) -> f64 {
    1.0 + load / (2.0 * (1.0 - load))
}

/// Probability that an arrival finds the server of an M/G/1 queue idle.
#[must_use]
pub fn no_wait(load: f64) -> f64 {
    1.0 - load
}

/// Service times of a few kinds of requests.
#[derive(Clone, Debug, PartialEq)]
pub struct Mixture {
    /// Share of the requests and service time of each kind; the shares sum to 1.
    pub kinds: Vec<(f64, f64)>,
}

impl Mixture {
    /// Mean service time.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.kinds.iter().map(|(share, service)| share * service).sum()
    }

    /// Mean square of the service time.
    #[must_use]
    pub fn mean_square(&self) -> f64 {
        self.kinds.iter().map(|(share, service)| share * service * service).sum()
    }

    /// Mean wait of M/G/1, in the unit of the service times, when the server is busy for a share
    /// `load` of the time.
    #[must_use]
    pub fn mg1_wait(&self, load: f64) -> f64 {
        load / self.mean() * self.mean_square() / (2.0 * (1.0 - load))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_values_are_reproduced() {
        for (load, expected) in [(0.1, 1.0556), (0.5, 1.5), (0.8, 3.0), (0.9, 5.5), (0.95, 10.5)] {
            assert!((md1_response(load) - expected).abs() < 5.1e-5, "{load}");
        }
        let mixture = Mixture { kinds: vec![(0.7, 25.0), (0.3, 200.0)] };
        for (load, expected) in [(0.3, 34.39), (0.6, 120.36), (0.8, 320.97)] {
            let found = mixture.mg1_wait(load);
            assert!((found - expected).abs() < 5.1e-3, "{load}: {found}");
        }
    }

    #[test]
    fn equal_service_times_make_mg1_an_md1() {
        let same = Mixture { kinds: vec![(0.4, 3.0), (0.6, 3.0)] };
        for load in [0.2, 0.7] {
            let response = 1.0 + same.mg1_wait(load) / 3.0;
            assert!((response - md1_response(load)).abs() < 1e-12, "{response}");
        }
    }
}
