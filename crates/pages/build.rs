//! Names what pages load by its content, so that browsers may keep it for good.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let fonts = [
        ("assets/fonts/bricolage-grotesque-680.woff2", "DISPLAY_HASH"),
        ("assets/fonts/atkinson-hyperlegible-next.woff2", "TEXT_HASH"),
    ];
    style(&fonts);
    for (path, name) in fonts.into_iter().chain([
        ("assets/challenge.js", "CHALLENGE_HASH"),
        ("assets/page.js", "PAGE_HASH"),
        ("assets/passkeys.js", "PASSKEYS_HASH"),
        ("assets/report.js", "REPORT_HASH"),
        ("assets/visit.js", "VISIT_HASH"),
        ("assets/widget.js", "WIDGET_HASH"),
    ]) {
        println!("cargo::rustc-env={name}={}", hash_of(path));
    }
}

/// Writes the style sheet with the addresses of its typefaces, and names it by what comes out.
#[expect(clippy::disallowed_methods, reason = "cargo speaks to build scripts by the environment")]
fn style(fonts: &[(&str, &str)]) {
    const SOURCE: &str = "assets/app.css";
    println!("cargo::rerun-if-changed={SOURCE}");
    let source = std::fs::read_to_string(SOURCE).expect("the style sheet lies in assets");
    let written = fonts.iter().fold(source, |style, (path, name)| {
        assert!(style.contains(name), "{SOURCE} loads {path} as {name}");
        style.replace(name, &hash_of(path))
    });
    let folder = std::env::var("OUT_DIR").expect("cargo says where built files go");
    std::fs::write(format!("{folder}/app.css"), &written).expect("the folder of built files can be written");
    println!("cargo::rustc-env=STYLE_HASH={:016x}", fnv1a(written.as_bytes()));
}

/// The name of a file's content, which is built again when it changes.
fn hash_of(path: &str) -> String {
    println!("cargo::rerun-if-changed={path}");
    format!("{:016x}", fnv1a(&std::fs::read(path).expect("what pages load lies in assets")))
}

/// 64-bit FNV-1a: a name for content that changes with it. Not a defence against anybody.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
