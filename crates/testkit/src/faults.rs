//! Faults made at random moments: how often, where the dice begin, and the line that says what came of it.
//!
//! `SITE_AUDIT_TEST_RUNS` says how often each fault is made, `SITE_AUDIT_TEST_SEED` where the dice begin. `cargo xtask faults` sets
//! both.

/// Where the dice begin when nothing is said.
const SEED: u64 = 0x5eed;

/// How often a fault is made: what the environment says, else `usual`.
pub fn runs(usual: usize) -> usize {
    std::env::var("SITE_AUDIT_TEST_RUNS").map_or(usual, |runs| runs.parse().unwrap())
}

/// Random numbers that a seed repeats.
#[derive(Debug)]
pub struct Dice {
    seed: u64,
    state: u64,
}

impl Dice {
    /// Dice that begin where the environment says.
    #[expect(clippy::new_without_default, reason = "they depend on the environment, which a default must not")]
    pub fn new() -> Self {
        let seed = std::env::var("SITE_AUDIT_TEST_SEED").map_or(SEED, |seed| seed.parse().unwrap());
        Self { seed, state: seed }
    }

    /// A number below `end`, which is above 0.
    pub fn below(&mut self, end: u64) -> u64 {
        // A linear congruential generator (Knuth, MMIX).
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) % end
    }

    /// A place in something with so many places, which has one at least.
    pub fn place(&mut self, places: usize) -> usize {
        usize::try_from(self.below(places as u64)).unwrap()
    }
}

/// Prints the line that `cargo xtask faults` reads. There was no violation, or a test would have failed before.
pub fn tell(fault: &str, database: &str, runs: usize, dice: &Dice, more: &str) {
    println!("\n{fault} on {database}: {runs} runs, 0 violations, seed {}; {more}", dice.seed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_repeats_its_numbers() {
        let numbers = |seed: u64| {
            let mut dice = Dice { seed, state: seed };
            [(); 8].map(|()| dice.below(1_000))
        };
        assert_eq!(numbers(SEED), numbers(SEED));
        assert_ne!(numbers(SEED), numbers(SEED + 1));
    }
}
