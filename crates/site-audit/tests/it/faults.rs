//! Faults made on purpose while clients work, and what must hold all the same (`docs/reliability.md`).
//!
//! `SITE_AUDIT_TEST_RUNS` says how often each is made, `SITE_AUDIT_TEST_SEED` where the dice begin; a failure is made again
//! with the seed that was printed. `cargo xtask faults` sets both.
#![expect(clippy::print_stdout, reason = "a fault says how often it was made, and what it found")]

mod backup;
mod clients;
mod crowd;
mod database;
mod disk;
mod io;
mod kills;
mod limits;
mod network;
mod points;
mod proxy;
mod scale_out;
mod scene;
mod strace;
mod versions;

/// Where the dice begin when nothing is said.
const SEED: u64 = 0x5eed;

/// How often a fault is made: what the environment says, else `usual`.
pub(crate) fn runs(usual: usize) -> usize {
    std::env::var("SITE_AUDIT_TEST_RUNS").map_or(usual, |runs| runs.parse().unwrap())
}

/// Random numbers that a seed repeats.
#[derive(Debug)]
pub(crate) struct Dice {
    seed: u64,
    state: u64,
}

impl Dice {
    pub(crate) fn new() -> Self {
        let seed = std::env::var("SITE_AUDIT_TEST_SEED").map_or(SEED, |seed| seed.parse().unwrap());
        Self { seed, state: seed }
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        // A linear congruential generator (Knuth, MMIX).
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) % end
    }
}

/// Prints the line that `cargo xtask faults` reads. There was no violation, or a test would have failed before.
pub(crate) fn tell(fault: &str, database: &str, runs: usize, dice: &Dice, more: &str) {
    println!("\n{fault} on {database}: {runs} runs, 0 violations, seed {}; {more}", dice.seed);
}
