//! The tokenizer tests of html5lib, read where they lie.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;

use super::{Comment, Content, Doctype, ProcessingInstruction, Sink, TagToken, TextRun, Tokenizer};
use crate::arena::{Arena, NONE, SourceRun};
use crate::names::TagId;
use crate::namespace::Namespace;

/// More than any test has.
const ATTRIBUTES: u16 = 256;

/// Fewest runs of html5lib's 6,806 cases, each in its initial states.
const FEWEST: usize = 7_028;
/// Inputs of cases that a later standard overturned: processing instructions are tokens since 2026 (whatwg/html pull
/// request 12118), and one that the source ends in is dropped. Each with the instruction that it is now.
const OVERTURNED: [(&str, Option<(&str, &str)>); 11] = [
    ("<?foo-->", Some(("foo--", ""))),
    ("<?namespace>", Some(("namespace", ""))),
    ("<?", None),
    ("<?A", None),
    ("<?B", None),
    ("<?Y", None),
    ("<?Z", None),
    ("<?a", None),
    ("<?b", None),
    ("<?y", None),
    ("<?z", None),
];

/// A token as the tests write it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Doctype { name: Option<String>, public: Option<String>, system: Option<String>, forces_quirks: bool },
    Start { name: String, attributes: BTreeMap<String, String>, is_self_closing: bool },
    End(String),
    Comment(String),
    Instruction { target: String, data: String },
    Characters(String),
}

/// Keeps the tokens of a source.
struct Tokens<'s> {
    source: &'s str,
    arena: Arena,
    all: Vec<Token>,
    allows_cdata: bool,
}

impl Tokens<'_> {
    fn text_of(&self, run: SourceRun) -> String {
        self.arena.text(self.source, run).to_owned()
    }

    fn name(&self, tag: TagId) -> String {
        tag.text(Namespace::Html).unwrap_or_else(|| self.arena.own_name(self.source, tag)).to_owned()
    }
}

impl Sink for Tokens<'_> {
    fn arena(&mut self) -> &mut Arena {
        &mut self.arena
    }

    fn doctype(&mut self, doctype: Doctype) {
        let text = |run: Option<SourceRun>| run.map(|run| self.text_of(run));
        let (name, public, system) = (text(doctype.name), text(doctype.public), text(doctype.system));
        self.all.push(Token::Doctype { name, public, system, forces_quirks: doctype.forces_quirks });
    }

    fn start_tag(&mut self, tag: &TagToken) -> Content {
        let attributes = self.arena.attributes.iter().skip(tag.attributes as usize);
        let attributes = attributes.take(usize::from(tag.attribute_count)).map(|attribute| {
            let value = if attribute.value.start == NONE { String::new() } else { self.text_of(attribute.value) };
            (self.arena.attribute_name(self.source, attribute).to_owned(), value)
        });
        let attributes = attributes.collect();
        self.all.push(Token::Start { name: self.name(tag.name), attributes, is_self_closing: tag.is_self_closing });
        Content::Data
    }

    fn end_tag(&mut self, tag: &TagToken) {
        self.all.push(Token::End(self.name(tag.name)));
    }

    fn text(&mut self, text: TextRun) {
        let run = self.arena.run(text.range(), text.mode, true);
        let text = self.text_of(run);
        match self.all.last_mut() {
            Some(Token::Characters(before)) => before.push_str(&text),
            _ => self.all.push(Token::Characters(text)),
        }
    }

    fn comment(&mut self, comment: Comment) {
        self.all.push(Token::Comment(self.text_of(comment.data)));
    }

    fn instruction(&mut self, instruction: ProcessingInstruction) {
        let target = self.source[instruction.target].to_owned();
        self.all.push(Token::Instruction { target, data: self.text_of(instruction.data) });
    }

    fn end(&mut self) {}

    fn allows_cdata(&self) -> bool {
        self.allows_cdata
    }

    fn is_stopped(&self) -> bool {
        false
    }

    fn attributes_cut(&mut self) {
        panic!("no test has so many attributes");
    }
}

/// The tokens of a source that starts in one of the standard's states.
fn tokens(input: &str, state: &str, last_start: Option<&str>) -> Vec<Token> {
    let content = match state {
        "Data state" | "CDATA section state" => Content::Data,
        "RCDATA state" => Content::Rcdata,
        "RAWTEXT state" => Content::Rawtext,
        "Script data state" => Content::Script,
        "PLAINTEXT state" => Content::Plaintext,
        _ => panic!("an unknown state: {state}"),
    };
    // A CDATA section is no state here: it is read from its start.
    let in_cdata = state == "CDATA section state";
    let source = if in_cdata { format!("<![CDATA[{input}") } else { input.to_owned() };
    let sink = Tokens { source: &source, arena: Arena::default(), all: Vec::new(), allows_cdata: in_cdata };
    let last_start = last_start.map(|name| TagId::known(name.as_bytes()).unwrap());
    Tokenizer::new(&source, sink, ATTRIBUTES).inside(content, last_start).run().all
}

/// Why a case has no answer here.
enum Unheld {
    /// A lone surrogate, which text in Rust can't be.
    Surrogate,
}

/// Resolves the `\uXXXX` that the texts of "double escaped" cases are written with.
fn unescape(text: &str) -> Result<String, Unheld> {
    let mut units = Vec::new();
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        match rest.strip_prefix("\\u") {
            Some(digits) => {
                units.push(u16::from_str_radix(&digits[..4], 16).unwrap());
                rest = &digits[4..];
            }
            None => {
                units.extend(next.encode_utf16(&mut [0; 2]).iter());
                rest = &rest[next.len_utf8()..];
            }
        }
    }
    String::from_utf16(&units).map_err(|_| Unheld::Surrogate)
}

struct Case {
    description: String,
    input: String,
    wanted: Vec<Token>,
    states: Vec<String>,
    last_start: Option<String>,
}

fn case(test: &Value) -> Result<Case, Unheld> {
    let is_escaped = test["doubleEscaped"] == true;
    let text = |value: &Value| {
        let text = value.as_str().unwrap();
        if is_escaped { unescape(text) } else { Ok(text.to_owned()) }
    };
    let some_text = |value: &Value| if value.is_null() { Ok(None) } else { text(value).map(Some) };
    let mut wanted = Vec::new();
    for token in test["output"].as_array().unwrap() {
        wanted.push(match token[0].as_str().unwrap() {
            "DOCTYPE" => Token::Doctype {
                name: some_text(&token[1])?,
                public: some_text(&token[2])?,
                system: some_text(&token[3])?,
                forces_quirks: token[4] == false,
            },
            "StartTag" => {
                let attributes = token[2].as_object().unwrap().iter();
                Token::Start {
                    name: text(&token[1])?,
                    attributes: attributes
                        .map(|(name, value)| Ok((text(&Value::from(name.as_str()))?, text(value)?)))
                        .collect::<Result<_, Unheld>>()?,
                    is_self_closing: token.get(3).is_some_and(|flag| flag == true),
                }
            }
            "EndTag" => Token::End(text(&token[1])?),
            "Comment" => Token::Comment(text(&token[1])?),
            // Whether a NUL in text is left out or U+FFFD is for the tree builder to say; read without one it is that.
            "Character" => Token::Characters(text(&token[1])?.replace('\0', "\u{FFFD}")),
            other => panic!("an unknown token: {other}"),
        });
    }
    let states = test.get("initialStates").map(|states| {
        let states = states.as_array().unwrap().iter();
        states.map(|state| state.as_str().unwrap().to_owned()).collect()
    });
    Ok(Case {
        description: test["description"].as_str().unwrap().to_owned(),
        input: text(&test["input"])?,
        wanted,
        states: states.unwrap_or_else(|| vec!["Data state".to_owned()]),
        last_start: test.get("lastStartTag").map(|name| name.as_str().unwrap().to_owned()),
    })
}

/// A path in the shared data; `None`, with a line that says so, where it is absent.
#[expect(clippy::disallowed_methods, reason = "where the shared data lies")]
fn shared(path: &str) -> Option<PathBuf> {
    let root = std::env::var("SITE_AUDIT_SHARED")
        .map_or_else(|_| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from);
    let found = Some(root.join(path)).filter(|path| path.exists());
    if found.is_none() {
        println!("passed over: no {path} in the shared data (set SITE_AUDIT_SHARED)");
    }
    found
}

#[test]
fn every_case_of_html5lib_gives_its_tokens() {
    let Some(folder) = shared("fixtures/html5lib/tokenizer") else { return };
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let (mut cases, mut runs, mut surrogates, mut overturned, mut failed) = (0, 0, 0, 0, Vec::new());
    for file in files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "test")) {
        let text = std::fs::read_to_string(file).unwrap();
        let all: Value = serde_json::from_str(&text).unwrap();
        // "xmlViolationTests" are of a mode that makes what is no XML fit for it, which no browser has.
        let Some(tests) = all.get("tests") else { continue };
        for test in tests.as_array().unwrap() {
            cases += 1;
            let Ok(mut case) = case(test) else {
                surrogates += 1;
                continue;
            };
            if let Some((_, now)) = OVERTURNED.iter().find(|(input, _)| *input == case.input) {
                let instruction = |(target, data): &(&str, &str)| Token::Instruction {
                    target: (*target).to_owned(),
                    data: (*data).to_owned(),
                };
                case.wanted = now.iter().map(instruction).collect();
                overturned += 1;
            }
            for state in &case.states {
                runs += 1;
                let got = tokens(&case.input, state, case.last_start.as_deref());
                if got != case.wanted {
                    let name = file.file_name().unwrap().to_string_lossy();
                    let Case { description, input, wanted, .. } = &case;
                    failed
                        .push(format!("{name}, {state}: {description}\n{input:?}\nwanted {wanted:?}\ngot    {got:?}"));
                }
            }
        }
    }
    println!("{cases} cases, {runs} runs, {overturned} overturned, {surrogates} passed over: lone surrogates");
    assert!(failed.is_empty(), "{} failed\n{}", failed.len(), failed.join("\n\n"));
    assert!(runs >= FEWEST, "{runs} runs: where are the others?");
    assert_eq!((overturned, surrogates), (OVERTURNED.len(), 4));
}
