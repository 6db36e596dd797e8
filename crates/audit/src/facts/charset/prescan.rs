//! "Prescan a byte stream to determine its encoding" (WHATWG HTML §13.2.3.2).

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};

/// Bytes in which a declaration must end to be found by the prescan.
pub const PRESCAN_BYTES: usize = 1024;

/// What a `meta` declares is read as: bytes that could be scanned for it are no UTF-16.
pub(super) fn as_declared_in_meta(encoding: &'static Encoding) -> &'static Encoding {
    if encoding == UTF_16BE || encoding == UTF_16LE {
        UTF_8
    } else if encoding == X_USER_DEFINED {
        WINDOWS_1252
    } else {
        encoding
    }
}

/// The label after `charset=` in the `content` of a `meta` (§2.6.6 of WHATWG HTML).
pub fn label_in_content(content: &str) -> Option<String> {
    let lower = content.to_ascii_lowercase();
    let mut from = 0;
    loop {
        let at = lower.get(from..)?.find("charset")? + from + "charset".len();
        let after = content.get(at..)?.trim_start();
        let Some(value) = after.strip_prefix('=') else {
            from = at;
            continue;
        };
        let value = value.trim_start();
        return match value.chars().next()? {
            quote @ ('"' | '\'') => value.get(1..)?.split_once(quote).map(|(label, _)| label.trim().to_owned()),
            _ => value
                .split([';', ' ', '\t', '\n', '\r', '\x0C'])
                .next()
                .map(str::to_owned)
                .filter(|label| !label.is_empty()),
        };
    }
}

/// What the prescan found.
#[derive(Default)]
pub(super) struct Scanned {
    /// What the first declaration of a known encoding is read as.
    pub(super) encoding: Option<&'static Encoding>,
    /// The first label, known or not.
    pub(super) first_label: Option<String>,
}

/// Looks for a `meta` in the first bytes.
pub(super) fn scan(bytes: &[u8]) -> Scanned {
    Prescan { bytes: bytes.get(..PRESCAN_BYTES).unwrap_or(bytes), at: 0 }.run()
}

struct Prescan<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl Prescan<'_> {
    fn run(mut self) -> Scanned {
        let mut scanned = Scanned::default();
        while self.at < self.bytes.len() {
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            let after_name = |name: &str| {
                let (head, tail) = rest.split_at_checked(name.len()).unwrap_or_default();
                head.eq_ignore_ascii_case(name.as_bytes()) && tail.first().is_some_and(|b| is_space(*b) || *b == b'/')
            };
            if rest.starts_with(b"<!--") {
                // `<!-->` is a whole comment: its dashes may be those of the opening.
                let end = rest.windows(3).skip(2).position(|window| window == b"-->").map(|at| at + 4);
                self.at += end.unwrap_or(rest.len());
            } else if after_name("<meta") {
                self.at += "<meta".len();
                if self.meta(&mut scanned) {
                    return scanned;
                }
            } else if is_tag(rest) {
                self.at += rest.iter().position(|b| is_space(*b) || *b == b'>').unwrap_or(rest.len());
                while self.attribute().is_some() {}
            } else if rest.starts_with(b"<!") || rest.starts_with(b"</") || rest.starts_with(b"<?") {
                self.at += rest.iter().position(|b| *b == b'>').unwrap_or(rest.len());
            }
            self.at += 1;
        }
        scanned
    }

    /// Reads one `meta`; answers whether it decided.
    fn meta(&mut self, scanned: &mut Scanned) -> bool {
        let (mut names, mut got_pragma, mut need_pragma, mut label) = (Vec::new(), false, None, None);
        while let Some((name, value)) = self.attribute() {
            if names.contains(&name) {
                continue;
            }
            match name.as_str() {
                "http-equiv" => got_pragma |= value == "content-type",
                "content" if label.is_none() => {
                    label = label_in_content(&value);
                    if label.is_some() {
                        need_pragma = Some(true);
                    }
                }
                "charset" => {
                    label = Some(value.trim().to_owned());
                    need_pragma = Some(false);
                }
                _ => {}
            }
            names.push(name);
        }
        // A tag that does not end within the scanned bytes declares nothing.
        if self.peek() != Some(b'>') {
            return false;
        }
        let Some(label) = label.filter(|_| need_pragma == Some(false) || need_pragma == Some(true) && got_pragma)
        else {
            return false;
        };
        scanned.encoding = Encoding::for_label(label.as_bytes()).map(as_declared_in_meta);
        scanned.first_label.get_or_insert(label);
        scanned.encoding.is_some()
    }

    /// "Get an attribute": name and value in lower case; `None` at the end of the tag, standing on its `>`.
    fn attribute(&mut self) -> Option<(String, String)> {
        while self.peek().is_some_and(|b| is_space(b) || b == b'/') {
            self.at += 1;
        }
        self.peek().filter(|b| *b != b'>')?;
        let mut name = String::new();
        let mut value = String::new();
        loop {
            match self.peek()? {
                b'=' if !name.is_empty() => break,
                b if is_space(b) => {
                    while self.peek().is_some_and(is_space) {
                        self.at += 1;
                    }
                    if self.peek() != Some(b'=') {
                        return Some((name, value));
                    }
                    break;
                }
                b'/' | b'>' => return Some((name, value)),
                b => name.push(char::from(b.to_ascii_lowercase())),
            }
            self.at += 1;
        }
        self.at += 1;
        while self.peek().is_some_and(is_space) {
            self.at += 1;
        }
        match self.peek()? {
            quote @ (b'"' | b'\'') => {
                self.at += 1;
                loop {
                    let b = self.peek()?;
                    self.at += 1;
                    if b == quote {
                        return Some((name, value));
                    }
                    value.push(char::from(b.to_ascii_lowercase()));
                }
            }
            _ => loop {
                match self.peek()? {
                    b if is_space(b) || b == b'>' => return Some((name, value)),
                    b => value.push(char::from(b.to_ascii_lowercase())),
                }
                self.at += 1;
            },
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0C)
}

fn is_tag(rest: &[u8]) -> bool {
    match rest {
        [b'<', b'/', letter, ..] | [b'<', letter, ..] => letter.is_ascii_alphabetic(),
        _ => false,
    }
}
