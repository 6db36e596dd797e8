//! Every command of this repository: `cargo xtask` lists them.

fn main() {}
