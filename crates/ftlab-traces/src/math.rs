//! Logarithms and powers that are the same bits on every machine.
//!
//! Those of the standard library come from the C library of the system, and the last bit of one result in ten
//! differs between two of them. A generated workload would then differ, too, and with it every figure of a run.
//! These are Rust alone, so a seed means the same requests on any Linux, macOS, Windows and in a browser. `clippy.toml`
//! keeps the others out. Square roots are exact everywhere and need none of this.

/// The natural logarithm.
#[inline]
#[must_use]
pub fn ln(x: f64) -> f64 {
    libm::log(x)
}

/// `ln(1 + x)` without cancellation.
#[inline]
#[must_use]
pub fn ln_1p(x: f64) -> f64 {
    libm::log1p(x)
}

/// The logarithm to base 10.
#[inline]
#[must_use]
pub fn log10(x: f64) -> f64 {
    libm::log10(x)
}

/// `e^x`.
#[inline]
#[must_use]
pub fn exp(x: f64) -> f64 {
    libm::exp(x)
}

/// `e^x - 1` without cancellation.
#[inline]
#[must_use]
pub fn exp_m1(x: f64) -> f64 {
    libm::expm1(x)
}

/// `2^x`.
#[inline]
#[must_use]
pub fn exp2_f32(x: f32) -> f32 {
    libm::exp2f(x)
}

/// `x^y`. Slower than [`exp`] of a product by far.
#[inline]
#[must_use]
pub fn powf(x: f64, y: f64) -> f64 {
    libm::pow(x, y)
}

/// `x^n`, by squares.
#[must_use]
pub fn powi(x: f64, n: i32) -> f64 {
    let (mut square, mut left, mut power) = (x, n.unsigned_abs(), 1.0);
    while left > 0 {
        if left % 2 == 1 {
            power *= square;
        }
        square *= square;
        left /= 2;
    }
    if n < 0 { 1.0 / power } else { power }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Results to the bit: those of no other machine differ.
    #[test]
    fn results_are_the_same_bits_everywhere() {
        let all = |f: fn(f64) -> f64| {
            let values = (1..100_000).map(|k| f64::from(k) * 0.000_731);
            values.fold(0_u64, |sum, x| sum.rotate_left(7) ^ f(x).to_bits())
        };
        let found = [
            all(ln),
            all(ln_1p),
            all(log10),
            all(exp),
            all(exp_m1),
            all(|x| exp2_f32(-x as f32).into()),
            all(|x| powf(x, -0.9)),
            all(|x| powi(x, -7)),
        ];
        assert_eq!(found.map(|bits| format!("{bits:016x}")), EXPECTED);
    }

    const EXPECTED: [&str; 8] = [
        "0de693d415c279d3",
        "e03c4d37e66b7e18",
        "7f71f07545ccea5c",
        "2d288e0f8b6c2f5e",
        "4eab189db298b275",
        "af8e8b1fae59dc01",
        "37a6c790324dd33d",
        "647de25fe6345233",
    ];

    #[test]
    fn powers_are_those_of_the_exact_ones() {
        assert_eq!([0, 1, 2, 10].map(|n| powi(2.0, n)), [1.0, 2.0, 4.0, 1024.0]);
        assert_eq!((powi(2.0, -3), powi(0.0, -1)), (0.125, f64::INFINITY));
        assert_eq!((powf(2.0, 10.0), exp2_f32(-2.0), log10(1000.0)), (1024.0, 0.25, 3.0));
    }
}
