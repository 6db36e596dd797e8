//! What must hold of any bytes, one module per parser: `check` panics where it does not.
//!
//! The fuzzer in `fuzz/` calls these with bytes that it makes up, and `tests/replay.rs` with the files of `fuzz/seeds`,
//! so a file that once broke something is tested for ever. A new target is a module here with a line in [`TARGETS`], a
//! folder of seeds, a three-line program in `fuzz/fuzz_targets` and its `[[bin]]` in `fuzz/Cargo.toml`.

pub mod addr_policy;
mod capture;
pub mod charset_detect;
pub mod content_decode;
mod first_line;
pub mod html_audit;
pub mod html_parse;
pub mod http_head;
pub mod jsonld;
pub mod patch;
mod reported;
pub mod robots;
pub mod sitemap;
pub mod url_intake;

/// A target: its name, which is also that of its seeds' folder and its program, and its function.
pub type FuzzTarget = (&'static str, fn(&[u8]));

/// All of them.
pub const TARGETS: [FuzzTarget; 11] = [
    ("addr_policy", addr_policy::check),
    ("charset_detect", charset_detect::check),
    ("content_decode", content_decode::check),
    ("html_audit", html_audit::check),
    ("html_parse", html_parse::check),
    ("http_head", http_head::check),
    ("jsonld", jsonld::check),
    ("patch", patch::check),
    ("robots", robots::check),
    ("sitemap", sitemap::check),
    ("url_intake", url_intake::check),
];
