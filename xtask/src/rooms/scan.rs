//! Paths in Rust source that begin with `crate`, `super` or `self`, and the modules that a file declares.
//!
//! A scanner of tokens, not a parser: comments, strings and items under `#[cfg(test)]` are passed over. A name that a `use`
//! brought into the file is counted where it was brought in.

/// A path in code, resolved to the root of its crate.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Import {
    /// Counted from 1.
    pub(super) line: usize,
    /// As written, with the prefix of a group: `super::http1::read`.
    pub(super) written: String,
    /// Module that holds the path, from the root of the crate: `["exchange"]`.
    pub(super) from: Vec<String>,
    /// What the path names, from the root of the crate: `["http1", "read"]`.
    pub(super) to: Vec<String>,
}

/// What one file says.
#[derive(Debug, Default)]
pub(super) struct ScannedFile {
    pub(super) imports: Vec<Import>,
    /// Modules declared here, outside of tests, from the root of the crate.
    pub(super) modules: Vec<Vec<String>>,
    /// Modules declared under `#[cfg(test)]`, from the root of the crate: their files are free.
    pub(super) tests: Vec<Vec<String>>,
}

/// Reads the file of the module `module`; the root of a crate is the empty path.
pub(super) fn scan(source: &str, module: &[String]) -> ScannedFile {
    let mut scanner = Scanner { tokens: tokens(source), at: 0, scanned: ScannedFile::default() };
    scanner.items(module);
    scanner.scanned.imports.sort();
    scanner.scanned.imports.dedup();
    scanner.scanned
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Word(String),
    /// `::`
    Separator,
    Sign(char),
}

/// Tokens with their lines, without comments, lifetimes and the contents of literals.
fn tokens(source: &str) -> Vec<(usize, Token)> {
    let mut lexer = Lexer { rest: source, line: 1 };
    std::iter::from_fn(|| lexer.next()).collect()
}

struct Lexer<'a> {
    rest: &'a str,
    line: usize,
}

impl Lexer<'_> {
    fn next(&mut self) -> Option<(usize, Token)> {
        loop {
            let first = self.rest.chars().next()?;
            let line = self.line;
            if self.rest.starts_with("//") {
                self.skip(self.rest.find('\n').unwrap_or(self.rest.len()));
            } else if self.rest.starts_with("/*") {
                self.block_comment();
            } else if first.is_whitespace() {
                self.skip(first.len_utf8());
            } else if first == '"' {
                self.string();
                return Some((line, Token::Sign('"')));
            } else if first == '\'' {
                self.quote();
            } else if first.is_alphanumeric() || first == '_' {
                if let Some(word) = self.word() {
                    return Some((line, Token::Word(word)));
                }
            } else if self.rest.starts_with("::") {
                self.skip(2);
                return Some((line, Token::Separator));
            } else {
                self.skip(first.len_utf8());
                return Some((line, Token::Sign(first)));
            }
        }
    }

    fn skip(&mut self, bytes: usize) {
        let (skipped, rest) = self.rest.split_at(bytes);
        self.line += skipped.matches('\n').count();
        self.rest = rest;
    }

    /// Block comments nest.
    fn block_comment(&mut self) {
        let mut depth = 0;
        loop {
            if self.rest.starts_with("/*") {
                depth += 1;
                self.skip(2);
            } else if self.rest.starts_with("*/") {
                depth -= 1;
                self.skip(2);
            } else {
                self.skip(self.rest.chars().next().map_or(0, char::len_utf8));
            }
            if depth == 0 || self.rest.is_empty() {
                return;
            }
        }
    }

    fn string(&mut self) {
        let mut escaped = false;
        let end = self.rest.char_indices().skip(1).find(|&(_, character)| {
            let ends = character == '"' && !escaped;
            escaped = character == '\\' && !escaped;
            ends
        });
        self.skip(end.map_or(self.rest.len(), |(at, _)| at + 1));
    }

    /// A character literal, or a lifetime.
    fn quote(&mut self) {
        let mut following = self.rest.char_indices().skip(1);
        let end = match (following.next(), following.next()) {
            (Some((_, '\\')), Some((escaped, character))) => {
                let from = escaped + character.len_utf8();
                self.rest.split_at(from).1.find('\'').map(|at| from + at + 1)
            }
            (Some(_), Some((at, '\''))) => Some(at + 1),
            _ => None,
        };
        // Of a lifetime only the quote: its name is a word that begins no path.
        self.skip(end.unwrap_or(1));
    }

    /// A name, keyword or number; nothing where it was the prefix of a raw string or identifier.
    fn word(&mut self) -> Option<String> {
        let end = self.rest.find(|character: char| !character.is_alphanumeric() && character != '_');
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        if !["r", "br", "cr"].contains(&word) {
            let word = word.to_owned();
            self.skip(word.len());
            return Some(word);
        }
        let hashes = rest.len() - rest.trim_start_matches('#').len();
        let (prefix, length) = (word.to_owned(), word.len());
        if rest.split_at(hashes).1.starts_with('"') {
            self.skip(length + hashes + 1);
            let end = format!("\"{}", "#".repeat(hashes));
            let at = self.rest.find(&end).map_or(self.rest.len(), |at| at + end.len());
            self.skip(at);
            return None;
        }
        self.skip(length + hashes);
        (hashes == 0).then_some(prefix)
    }
}

struct Scanner {
    tokens: Vec<(usize, Token)>,
    at: usize,
    scanned: ScannedFile,
}

impl Scanner {
    fn token(&self, ahead: usize) -> Option<&Token> {
        self.tokens.get(self.at + ahead).map(|(_, token)| token)
    }

    fn word(&self, ahead: usize) -> Option<&str> {
        match self.token(ahead) {
            Some(Token::Word(word)) => Some(word),
            _ => None,
        }
    }

    fn is(&self, ahead: usize, sign: char) -> bool {
        self.token(ahead) == Some(&Token::Sign(sign))
    }

    fn line(&self) -> usize {
        self.tokens.get(self.at).map_or(0, |(line, _)| *line)
    }

    /// Everything up to the brace that closes `module`.
    fn items(&mut self, module: &[String]) {
        let mut depth = 0_usize;
        while let Some(token) = self.token(0).cloned() {
            match token {
                Token::Sign('#') if self.is_for_tests() => self.skip_for_tests(module),
                Token::Sign('{') => {
                    depth += 1;
                    self.at += 1;
                }
                Token::Sign('}') => {
                    self.at += 1;
                    if depth == 0 {
                        return;
                    }
                    depth -= 1;
                }
                Token::Word(word) if word == "pub" && self.is(1, '(') => {
                    self.at += 1;
                    self.skip_group();
                }
                // What a macro says stands where it is called.
                Token::Word(word) if word == "macro_rules" && self.is(1, '!') => {
                    self.at += 3;
                    self.skip_group();
                }
                Token::Word(word) if word == "mod" && self.word(1).is_some() => self.module(module),
                // `use<'a>` in a return type is no import.
                Token::Word(word) if word == "use" && !self.is(1, '<') => {
                    self.at += 1;
                    self.use_tree(module, &[]);
                }
                Token::Word(_) => {
                    let line = self.line();
                    let path = self.path();
                    self.add(line, &path, module);
                }
                // A path that begins with `::` names another crate.
                Token::Separator => {
                    self.at += 1;
                    self.path();
                }
                Token::Sign(_) => self.at += 1,
            }
        }
    }

    fn module(&mut self, module: &[String]) {
        let mut inner = module.to_vec();
        inner.extend(self.word(1).map(str::to_owned));
        self.at += 2;
        self.scanned.modules.push(inner.clone());
        if self.is(0, '{') {
            self.at += 1;
            self.items(&inner);
        }
    }

    /// Words joined by `::`, a `*` at their end included.
    fn path(&mut self) -> Vec<String> {
        let mut path = Vec::new();
        while let Some(word) = self.word(0) {
            path.push(word.to_owned());
            self.at += 1;
            if self.token(0) != Some(&Token::Separator) || self.word(1).is_none() {
                break;
            }
            self.at += 1;
        }
        path
    }

    fn use_tree(&mut self, module: &[String], prefix: &[String]) {
        let line = self.line();
        let mut path = prefix.to_vec();
        if self.token(0) == Some(&Token::Separator) {
            self.at += 1;
            path.push("::".to_owned());
        }
        path.extend(self.path());
        if self.token(0) == Some(&Token::Separator) {
            self.at += 1;
        }
        if self.is(0, '{') {
            self.at += 1;
            while self.token(0).is_some() && !self.is(0, '}') {
                self.use_tree(module, &path);
                if self.is(0, ',') {
                    self.at += 1;
                }
            }
            self.at += 1;
            return;
        }
        if self.is(0, '*') {
            path.push("*".to_owned());
        }
        self.add(line, &path, module);
        while self.token(0).is_some() && ![',', '}', ';'].into_iter().any(|end| self.is(0, end)) {
            self.at += 1;
        }
    }

    fn add(&mut self, line: usize, path: &[String], module: &[String]) {
        let first = path.first().map(String::as_str);
        // A lone `crate`, `self` or `super` names nothing but in a group of imports, where it is the module itself.
        if path.len() < 2 || !matches!(first, Some("crate" | "super" | "self")) {
            return;
        }
        let mut to = if first == Some("crate") { Vec::new() } else { module.to_vec() };
        for segment in path {
            match segment.as_str() {
                "crate" | "self" => {}
                "super" => {
                    to.pop();
                }
                _ => to.push(segment.clone()),
            }
        }
        self.scanned.imports.push(Import { line, written: path.join("::"), from: module.to_vec(), to });
    }

    /// Whether an attribute that begins here leaves its item to tests.
    fn is_for_tests(&self) -> bool {
        let cfg = self.is(1, '[') && self.word(2) == Some("cfg") && self.is(3, '(');
        let condition = || (4..).map_while(|ahead| self.token(ahead)).take_while(|token| **token != Token::Sign(']'));
        let has = |word: &str| condition().any(|token| *token == Token::Word(word.to_owned()));
        cfg && has("test") && !has("not") && !has("any")
    }

    /// Passes over an attribute and its item.
    fn skip_for_tests(&mut self, module: &[String]) {
        while self.is(0, '#') {
            self.at += 1;
            self.skip_group();
        }
        while self.token(0).is_some() && !self.is(0, '}') {
            if self.word(0) == Some("mod") {
                let mut inner = module.to_vec();
                inner.extend(self.word(1).map(str::to_owned));
                self.scanned.tests.push(inner);
            }
            if self.is(0, ';') {
                self.at += 1;
                return;
            }
            let block = self.is(0, '{');
            self.skip_group();
            if block {
                return;
            }
        }
    }

    /// Passes over one token, or over a group in brackets.
    fn skip_group(&mut self) {
        let mut depth = 0_usize;
        while let Some(token) = self.token(0) {
            match token {
                Token::Sign('(' | '[' | '{') => depth += 1,
                Token::Sign(')' | ']' | '}') => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn path(text: &str) -> Vec<String> {
        text.split("::").filter(|segment| !segment.is_empty()).map(str::to_owned).collect()
    }

    /// What `source`, the file of `module`, names from the root of its crate.
    #[track_caller]
    fn check(module: &str, source: &str, wanted: &[&str]) {
        let imports = scan(source, &path(module)).imports;
        let found: BTreeSet<String> = imports.iter().map(|import| import.to.join("::")).collect();
        assert_eq!(found, wanted.iter().map(|name| (*name).to_owned()).collect(), "{source}");
    }

    #[test]
    fn a_path_is_resolved_from_the_root() {
        check("a", "use crate::b::C;", &["b::C"]);
        check("a", "use super::b;", &["b"]);
        check("a::x", "use super::super::b::C;", &["b::C"]);
        check("a::x", "fn f() { super::y::g(); self::z::h(); }", &["a::y::g", "a::x::z::h"]);
        check("a", "fn f() -> crate::b::C<crate::d::E> { crate::b::make::<u8>() }", &["b::C", "b::make", "d::E"]);
    }

    #[test]
    fn groups_are_taken_apart() {
        check("a", "use crate::{b, c::{self, D, e::*}, f as g};", &["b", "c", "c::D", "c::e::*", "f"]);
        check("a", "use {crate::b::C, std::fmt, super::d};", &["b::C", "d"]);
        check("a::x", "pub(crate) use super::{y::Z, super::b};", &["a::y::Z", "b"]);
        check("a", "use crate::*;", &["*"]);
    }

    #[test]
    fn other_crates_and_visibilities_are_no_imports() {
        check("a", "use ::b::c; use std::fmt; pub(crate) fn f() {} pub(in crate::b) struct S; pub(super) mod m;", &[]);
        check("a", "macro_rules! m { () => { mod x { use crate::b; } $crate::c::f() } } use crate::d;", &["d"]);
        check("a", "fn f(&self) { self.b(); std::mem::drop(self); }", &[]);
    }

    #[test]
    fn comments_and_literals_are_passed_over() {
        check("a", "// use crate::b;\n/* use /* crate::c; */ crate::d */\n/// [`crate::e`]\nfn f() {}", &[]);
        check(
            "a",
            r####"const A: &str = "crate::b \" crate::c"; const B: &str = r#"" crate::d"#; use crate::e;"####,
            &["e"],
        );
        check("a", r"fn f<'a>(c: char) -> &'a str { c == '\'' || c == '\u{7b}' || c == '{' } use crate::e;", &["e"]);
        check("a", "const A: &[u8] = br\"crate::b\"; const B: u8 = b'{'; fn r#crate() { crate::e::f() }", &["e::f"]);
    }

    #[test]
    fn tests_are_free() {
        check("a", "#[cfg(test)]\nmod tests { use super::*; fn f() { crate::b::c(); } }\nuse crate::d;", &["d"]);
        check("a", "#[cfg(test)]\n#[expect(dead_code)]\nfn f(x: [u8; 2]) { crate::b::c() }\nuse crate::d;", &["d"]);
        check("a", "#[cfg(all(test, unix))]\nuse crate::b::{c, d};\nuse crate::e;", &["e"]);
        check("a", "#[cfg(not(test))]\nuse crate::b;", &["b"]);
        let scanned = scan("mod a; #[cfg(test)] pub(crate) mod testing; mod b { mod c; }", &[]);
        assert_eq!(scanned.tests, [path("testing")]);
        assert_eq!(scanned.modules, [path("a"), path("b"), path("b::c")]);
    }

    #[test]
    fn an_inline_module_is_a_module() {
        check("a", "mod inner { use super::b; use super::super::c; } use super::d;", &["a::b", "c", "d"]);
    }

    #[test]
    fn lines_are_counted() {
        let scanned = scan("//! a\n\n\"x\ny\";\nuse crate::{\n    b,\n    c::D,\n};\n", &path("a"));
        let lines: Vec<usize> = scanned.imports.iter().map(|import| import.line).collect();
        assert_eq!(lines, [6, 7]);
    }
}
