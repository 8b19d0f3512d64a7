//! Vectors with 8-bit components and a scale: a quarter of the size, and cosines are accurate to about 1/1000.

use serde::{Deserialize, Serialize};

/// A vector of length 1, or of length 0 if the meaning of the text is unknown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Vector {
    /// Its components, in units of `scale`.
    pub values: Vec<i8>,
    /// The value of one unit.
    pub scale: f32,
}

impl Vector {
    /// The unit vector in this direction. All components are zero if there is no direction: zeros, infinities, NaN.
    pub fn of(values: &[f32]) -> Self {
        let length = values.iter().map(|value| value * value).sum::<f32>().sqrt();
        let most = values.iter().fold(0f32, |most, value| most.max(value.abs()));
        if !(length.is_finite() && length > 0.0) {
            return Self::none(values.len());
        }
        let unit = most / 127.0;
        // Within -127..=127 by the choice of the unit.
        let values = values.iter().map(|value| (value / unit).round() as i8).collect();
        Self { values, scale: unit / length }
    }

    /// The vector of a text whose meaning is unknown, which is near no other.
    pub fn none(dimensions: usize) -> Self {
        Self { values: vec![0; dimensions], scale: 0.0 }
    }

    /// Whether it has no direction.
    pub fn is_none(&self) -> bool {
        self.scale == 0.0
    }

    /// Its components as stored.
    pub fn bytes(&self) -> Vec<u8> {
        self.values.iter().map(|value| value.cast_unsigned()).collect()
    }

    /// The cosine of the angle to a vector in units of `scale`, from -1 to 1.
    pub fn cosine(&self, values: &[i8], scale: f32) -> f32 {
        // The sum of 384 products of 7-bit numbers is far from the limits of both types.
        dot(&self.values, values) as f32 * self.scale * scale
    }
}

// In a release build, a loop is as fast as iterators; in tests, without inlining, three times as fast.
fn dot(one: &[i8], other: &[i8]) -> i32 {
    let mut sum = 0;
    for (one, other) in one.iter().zip(other) {
        sum += i32::from(i16::from(*one) * i16::from(*other));
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cosine_is_that_of_the_numbers() {
        let one: Vec<f32> = (0..384).map(|at| (at as f32 * 0.7).sin()).collect();
        let other: Vec<f32> = (0..384).map(|at| (at as f32 * 0.7 + 0.5).sin()).collect();
        let exact = |a: &[f32], b: &[f32]| {
            let product = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
            product(a, b) / (product(a, a) * product(b, b)).sqrt()
        };
        let (a, b) = (Vector::of(&one), Vector::of(&other));
        assert!((a.cosine(&b.values, b.scale) - exact(&one, &other)).abs() < 0.002);
        assert!((a.cosine(&a.values, a.scale) - 1.0).abs() < 0.002);
        let none = Vector::of(&[0.0; 384]);
        assert!(none.is_none() && a.cosine(&none.values, none.scale) == 0.0);
        assert!(Vector::of(&[f32::NAN, 1.0]).scale == 0.0 && Vector::of(&[f32::INFINITY]).scale == 0.0);
    }
}
