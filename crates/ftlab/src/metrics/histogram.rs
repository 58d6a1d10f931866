//! Counts of numbers in bins. A bin has one number below 2,048; above, its width is a thousandth of
//! its numbers.
//!
//! ```text
//! bin = shift x 1024 + (number >> shift), where shift leaves the 11 highest bits of the number
//! ```

/// Bits that a bin keeps of its numbers.
const KEPT_BITS: u32 = 11;

/// Bins of each power of two.
const BINS: usize = 1 << (KEPT_BITS - 1);

/// Numbers from this on count as the greatest below it.
const END: u64 = 1 << 51;

/// The number of occurrences of numbers.
#[derive(Clone, Debug)]
pub struct Histogram {
    counts: Vec<u64>,
    len: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        Histogram { counts: vec![0; bin(END - 1) + 1], len: 0 }
    }
}

#[inline]
const fn bin(number: u64) -> usize {
    let shift = u64::BITS - KEPT_BITS - (number | (2 * BINS as u64 - 1)).leading_zeros();
    (shift as usize) * BINS + (number >> shift) as usize
}

/// The least and the greatest number of a bin.
const fn range(bin: usize) -> (u64, u64) {
    let shift = (bin / BINS).saturating_sub(1);
    let least = ((bin - shift * BINS) as u64) << shift;
    (least, least + (1 << shift) - 1)
}

impl Histogram {
    /// Counts a number `times` times.
    #[inline]
    pub fn record(&mut self, number: u64, times: u64) {
        let number = number.min(END - 1);
        self.counts[bin(number)] += times;
        self.len += times;
    }

    /// Numbers counted.
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.len
    }

    /// Adds the counts of another.
    pub fn add(&mut self, other: &Histogram) {
        self.counts.iter_mut().zip(&other.counts).for_each(|(count, more)| *count += more);
        self.len += other.len;
    }

    /// Subtracts the counts of an earlier state.
    pub fn subtract(&mut self, earlier: &Histogram) {
        self.counts.iter_mut().zip(&earlier.counts).for_each(|(count, less)| *count -= less);
        self.len -= earlier.len;
    }

    /// The greatest number of the bin up to which this share of the numbers lies. For a share of 0
    /// it is the least number of the first bin, and without numbers 0.
    #[must_use]
    pub fn quantile(&self, share: f64) -> u64 {
        self.quantiles([share]).next().unwrap_or(0)
    }

    /// The quantiles of ascending shares, in one pass over the bins.
    pub fn quantiles(&self, ascending: impl IntoIterator<Item = f64>) -> impl Iterator<Item = u64> {
        let add = |counted: &mut u64, count: &u64| {
            *counted += count;
            Some(*counted)
        };
        let mut upto = self.counts.iter().scan(0, add).enumerate().peekable();
        ascending.into_iter().map(move |share| {
            let wanted = ((share * self.len as f64).ceil() as u64).max(1);
            while upto.next_if(|(_, counted)| *counted < wanted).is_some() {}
            let bin = upto.peek().map(|(bin, _)| range(*bin));
            bin.map_or(0, |(least, greatest)| if share == 0.0 { least } else { greatest })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_follow_each_other_and_are_as_wide_as_a_thousandth() {
        let mut next = 0;
        for bin_number in 0..Histogram::default().counts.len() {
            let (least, greatest) = range(bin_number);
            assert_eq!(least, next, "bin {bin_number}");
            assert_eq!((bin(least), bin(greatest)), (bin_number, bin_number));
            assert!((greatest - least) * 1000 <= least, "{least} to {greatest}");
            next = greatest + 1;
        }
        assert_eq!(next, END);
    }

    #[test]
    fn quantiles_are_those_of_the_sorted_numbers() {
        let mut histogram = Histogram::default();
        (1..=1000).for_each(|number| histogram.record(number, 1));
        let shares = [0.0, 0.0005, 0.5, 0.5001, 0.99, 1.0];
        let quantiles = [1, 1, 500, 501, 990, 1000];
        assert_eq!(shares.map(|share| histogram.quantile(share)), quantiles);
        assert_eq!(histogram.quantiles(shares).collect::<Vec<_>>(), quantiles);
        histogram.record(u64::MAX, 1);
        assert_eq!(histogram.quantile(1.0), END - 1);
        assert_eq!(Histogram::default().quantile(0.5), 0);
    }
}
