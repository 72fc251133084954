//! Random choices that are the same in every run.
//!
//! For tests that damage or mix their input; nothing here is random enough for anything else.

/// A source of choices.
#[derive(Debug, Clone)]
pub struct Dice(u64);

impl Dice {
    /// Dice that always fall the same way for one `seed`, which must not be zero.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `bound`; zero where there is none.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound.max(1) as u64).unwrap_or_default()
    }

    /// One of `items`; `None` where there are none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_falls_the_same_way_and_every_face_comes_up() {
        let throws = |seed| {
            let mut dice = Dice::new(seed);
            (0..100).map(|_| dice.below(6)).collect::<Vec<_>>()
        };
        assert_eq!(throws(7), throws(7));
        assert!((0..6).all(|face| throws(7).contains(&face)));
        assert_eq!(Dice::new(7).pick::<u8>(&[]), None);
    }
}
