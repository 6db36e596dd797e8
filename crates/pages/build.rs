//! Names what pages load by its content, so that browsers may keep it for good.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    for (path, name) in [
        ("assets/app.css", "STYLE_HASH"),
        ("assets/challenge.js", "CHALLENGE_HASH"),
        ("assets/page.js", "PAGE_HASH"),
        ("assets/passkeys.js", "PASSKEYS_HASH"),
        ("assets/report.js", "REPORT_HASH"),
        ("assets/visit.js", "VISIT_HASH"),
        ("assets/widget.js", "WIDGET_HASH"),
    ] {
        println!("cargo::rerun-if-changed={path}");
        let content = std::fs::read(path).expect("what pages load lies in assets");
        println!("cargo::rustc-env={name}={:016x}", fnv1a(&content));
    }
}

/// 64-bit FNV-1a: a name for content that changes with it. Not a defence against anybody.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
