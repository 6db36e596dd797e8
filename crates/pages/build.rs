//! Names what pages load by its content, so that browsers may keep it for good.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let fonts = [
        ("assets/fonts/bricolage-grotesque-680.woff2", "DISPLAY_HASH"),
        ("assets/fonts/atkinson-hyperlegible-next.woff2", "TEXT_HASH"),
    ];
    style(&fonts);
    for (path, name) in fonts {
        println!("cargo::rustc-env={name}={}", hash_of(path));
    }
    // What other scripts import has its name first.
    let page = script("page", "");
    for name in ["challenge", "docs", "embed", "passkeys", "report", "visit", "widget"] {
        script(name, &page);
    }
}

/// Writes a script without its comments and needless spaces, and names it by what comes out. An import of `page.js` gets the
/// name of that script, `page`. The result is the name.
fn script(name: &str, page: &str) -> String {
    let path = format!("assets/{name}.js");
    println!("cargo::rerun-if-changed={path}");
    let source = std::fs::read_to_string(&path).expect("what pages load lies in assets");
    // None has a text over several lines.
    let lines = source
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with("//") && !line.starts_with("/**"));
    let written = lines.collect::<Vec<_>>().join("\n") + "\n";
    let written = unspaced(&written).replace("\"page.js\"", &format!("\"./page.{page}.js\""));
    let hash = format!("{:016x}", fnv1a(written.as_bytes()));
    println!("cargo::rustc-env={}_HASH={hash}", name.to_uppercase());
    write(&format!("{name}.js"), &written);
    hash
}

/// A script without the spaces that nothing needs: those outside of texts that are not between two words or two signs. Lines
/// stay, as a statement may end with its line. No regular expression of ours has a quotation mark or a space.
fn unspaced(script: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let is_sign = |c: char| matches!(c, '+' | '-');
    let mut out = String::with_capacity(script.len());
    let (mut quote, mut chars) = (None, script.chars().peekable());
    while let Some(c) = chars.next() {
        let needs_space = |next: Option<&char>| match (out.chars().next_back(), next) {
            (Some(a), Some(&b)) => (is_word(a) && is_word(b)) || (is_sign(a) && is_sign(b)),
            _ => false,
        };
        match quote {
            None if c == ' ' && !needs_space(chars.peek()) => continue,
            None if matches!(c, '"' | '\'' | '`') => quote = Some(c),
            Some(mark) if c == mark => quote = None,
            Some(_) if c == '\\' => {
                out.push(c);
                out.extend(chars.next());
                continue;
            }
            _ => {}
        }
        out.push(c);
    }
    out
}

/// Writes a file for the crate to compile in.
#[expect(clippy::disallowed_methods, reason = "cargo speaks to build scripts by the environment")]
fn write(name: &str, content: &str) {
    let folder = std::env::var("OUT_DIR").expect("cargo says where built files go");
    std::fs::write(format!("{folder}/{name}"), content).expect("the folder of built files can be written");
}

/// Writes the style sheet with the addresses of its typefaces, and names it by what comes out.
fn style(fonts: &[(&str, &str)]) {
    const SOURCE: &str = "assets/app.css";
    println!("cargo::rerun-if-changed={SOURCE}");
    let source = std::fs::read_to_string(SOURCE).expect("the style sheet lies in assets");
    let written = fonts.iter().fold(source, |style, (path, name)| {
        assert!(style.contains(name), "{SOURCE} loads {path} as {name}");
        style.replace(name, &hash_of(path))
    });
    let written = compact(&written);
    write("app.css", &written);
    println!("cargo::rustc-env=STYLE_HASH={:016x}", fnv1a(written.as_bytes()));
}

/// A style sheet without comments and indentation, which browsers don't need. No text in ours has `/*`.
fn compact(style: &str) -> String {
    let mut parts = style.split("/*");
    let mut out = parts.next().unwrap_or_default().to_owned();
    parts.for_each(|part| out.push_str(part.split_once("*/").map_or("", |(_, rest)| rest)));
    let lines = out.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut out = lines.collect::<Vec<_>>().join("\n");
    for mark in ["{", "}", ";", ","] {
        out = out.replace(&format!("{mark} "), mark).replace(&format!(" {mark}"), mark);
    }
    out.replace(": ", ":").replace(";}", "}")
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
