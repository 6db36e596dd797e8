//! Numbers of constants, which cargo-mutants leaves alone: one more kind of mutation. A constant can't be switched, so every
//! place that uses it is, in tests too: what a test writes as a number does not change with it.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, Result};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, ImplItemConst, ItemConst, ItemMod, Type, UseTree};

use super::group::Group;
use super::list::{self, CONSTANT, Mutant};
use super::switch::MODULE_NAME;

/// Types of constants that are changed.
const NUMBERS: [&str; 8] = ["u8", "u16", "u32", "u64", "usize", "i32", "i64", "Duration"];

/// A mutation for each constant with a number in the files of a group, numbered from `first`.
pub(crate) fn listed(root: &Path, group: &Group, first: u32) -> Result<Vec<Mutant>> {
    let files = list::asked(root, group, "--list-files")?;
    let files: Vec<String> = files.iter().map(|file| list::text(file, "/path")).collect::<Result<_>>()?;
    of_files(root, &files, first)
}

fn of_files(root: &Path, files: &[String], first: u32) -> Result<Vec<Mutant>> {
    let mut mutants = Vec::new();
    for file in files {
        let source = std::fs::read_to_string(root.join(file)).with_context(|| file.clone())?;
        let mut finder = Finder::default();
        finder.visit_file(&syn::parse_file(&source).with_context(|| file.clone())?);
        for (name, ident) in finder.found {
            let start = ident.start();
            let number = first + u32::try_from(mutants.len())?;
            mutants.push(Mutant {
                number,
                name: format!("{file}:{}:{}: change {name}", start.line, start.column + 1),
                file: file.clone(),
                genre: CONSTANT.to_owned(),
                span: ident.byte_range(),
                replacement: name,
                result: String::new(),
            });
        }
    }
    Ok(mutants)
}

#[derive(Default)]
struct Finder {
    found: Vec<(String, proc_macro2::Span)>,
}

impl Finder {
    fn note(&mut self, ident: &proc_macro2::Ident, of: &Type) {
        let Type::Path(path) = of else { return };
        if path.path.segments.last().is_some_and(|last| NUMBERS.iter().any(|number| last.ident == number)) {
            self.found.push((ident.to_string(), ident.span()));
        }
    }
}

impl<'ast> Visit<'ast> for Finder {
    fn visit_item_const(&mut self, item: &'ast ItemConst) {
        self.note(&item.ident, &item.ty);
    }

    fn visit_impl_item_const(&mut self, item: &'ast ImplItemConst) {
        self.note(&item.ident, &item.ty);
    }

    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if !item.attrs.iter().any(is_for_tests) {
            visit::visit_item_mod(self, item);
        }
    }
}

fn is_for_tests(attribute: &Attribute) -> bool {
    attribute.path().is_ident("cfg") && attribute.parse_args::<Expr>().is_ok_and(|of| is_test(&of))
}

fn is_test(of: &Expr) -> bool {
    matches!(of, Expr::Path(path) if path.path.is_ident("test"))
}

/// Mutations of the uses of constants in a source: as many of one number as there are uses.
pub(crate) fn uses(file: &str, source: &str, constants: &[Mutant]) -> Result<Vec<Mutant>> {
    let mut walk = Walk { file, constants, imports: imports(source)?, found: Vec::new() };
    walk.tokens(source.parse().map_err(|error| anyhow::anyhow!("{file}: {error}"))?);
    let found = walk.found;
    let of = |(constant, start, end): (&Mutant, usize, usize)| Mutant {
        span: start..end,
        replacement: format!("crate::{MODULE_NAME}::Changed::changed({})", source.get(start..end).unwrap_or_default()),
        file: file.to_owned(),
        ..constant.clone()
    };
    Ok(found.into_iter().map(of).collect())
}

/// The module that each name is imported from.
fn imports(source: &str) -> Result<BTreeMap<String, String>> {
    struct Imports(BTreeMap<String, String>);
    impl<'ast> Visit<'ast> for Imports {
        fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
            self.tree("", &item.tree);
        }
    }
    impl Imports {
        fn tree(&mut self, from: &str, tree: &UseTree) {
            match tree {
                UseTree::Path(path) => self.tree(&path.ident.to_string(), &path.tree),
                UseTree::Name(name) => {
                    self.0.insert(name.ident.to_string(), from.to_owned());
                }
                UseTree::Group(group) => group.items.iter().for_each(|tree| self.tree(from, tree)),
                UseTree::Glob(_) | UseTree::Rename(_) => {}
            }
        }
    }
    let mut imports = Imports(BTreeMap::new());
    imports.visit_file(&syn::parse_file(source).context("the source can't be parsed")?);
    Ok(imports.0)
}

struct Walk<'c> {
    file: &'c str,
    constants: &'c [Mutant],
    imports: BTreeMap<String, String>,
    found: Vec<(&'c Mutant, usize, usize)>,
}

impl Walk<'_> {
    fn tokens(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            at += 1;
            match token {
                // The lifetime `'static` is a punctuation mark and a name.
                TokenTree::Punct(punct) if punct.as_char() == '\'' => at += 1,
                TokenTree::Ident(ident) if ident == "const" || ident == "static" || ident == "use" => {
                    at = skipped(&tokens, at);
                }
                // An attribute.
                TokenTree::Punct(punct) if punct.as_char() == '#' => {
                    at += usize::from(is_group(tokens.get(at), Delimiter::Bracket));
                }
                TokenTree::Ident(ident) => self.ident(&tokens, at - 1, &ident.to_string()),
                // The length of an array type or of a repeated value.
                TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket => {
                    let is_end = |token: &TokenTree| matches!(token, TokenTree::Punct(of) if of.as_char() == ';');
                    self.tokens(group.stream().into_iter().take_while(|token| !is_end(token)).collect());
                }
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
    }

    fn ident(&mut self, tokens: &[TokenTree], at: usize, name: &str) {
        let (mut first, mut module) = (at, None);
        while let Some((before, qualifier)) = qualifier(tokens, first) {
            module = module.or(Some(qualifier));
            first = before;
        }
        let module = module.or_else(|| self.imports.get(name).cloned());
        let constant = self.constants.iter().find(|of| of.replacement == name && self.is_of(of, module.as_deref()));
        if let Some((constant, from)) = constant.zip(tokens.get(first))
            && let Some(to) = tokens.get(at)
        {
            self.found.push((constant, from.span().byte_range().start, to.span().byte_range().end));
        }
    }

    /// Whether a constant is the one that this file means by its name, with a module before it or imported from there.
    fn is_of(&self, constant: &Mutant, module: Option<&str>) -> bool {
        match module {
            None | Some("Self" | "self") => {
                constant.file == self.file || (module.is_none() && is_tests_of(self.file, &constant.file))
            }
            Some("super") => constant.file == self.file || is_parent(&constant.file, self.file),
            Some("crate") => constant.file.ends_with("/src/lib.rs"),
            Some(module) => stem(&constant.file) == module,
        }
    }
}

/// Name of the module of a file.
fn stem(file: &str) -> &str {
    file.rsplit('/').next().unwrap_or(file).trim_end_matches(".rs")
}

/// Whether a file holds the module that another lies below.
fn is_parent(parent: &str, file: &str) -> bool {
    file.rsplit_once('/').is_some_and(|(folder, _)| parent.strip_suffix(".rs") == Some(folder))
}

/// Tests import all of their module.
fn is_tests_of(file: &str, of: &str) -> bool {
    stem(file) == "tests" && is_parent(of, file)
}

/// Where the path before a name begins, and its last part.
fn qualifier(tokens: &[TokenTree], at: usize) -> Option<(usize, String)> {
    let is_colon = |token: Option<&TokenTree>| matches!(token, Some(TokenTree::Punct(of)) if of.as_char() == ':');
    if !is_colon(tokens.get(at.checked_sub(1)?)) || !is_colon(tokens.get(at.checked_sub(2)?)) {
        return None;
    }
    let before = at.checked_sub(3)?;
    match tokens.get(before)? {
        TokenTree::Ident(ident) => Some((before, ident.to_string())),
        _ => None,
    }
}

/// The place after a constant, a static, an import or a constant function, which begins before `at`.
fn skipped(tokens: &[TokenTree], at: usize) -> usize {
    let is_function = tokens.iter().skip(at).take(3).any(|token| matches!(token, TokenTree::Ident(of) if of == "fn"));
    let ends = |token: &TokenTree| match token {
        TokenTree::Punct(of) => of.as_char() == ';',
        TokenTree::Group(group) => is_function && group.delimiter() == Delimiter::Brace,
        TokenTree::Ident(_) | TokenTree::Literal(_) => false,
    };
    tokens.iter().skip(at).position(ends).map_or(tokens.len(), |end| at + end + 1)
}

fn is_group(token: Option<&TokenTree>, delimiter: Delimiter) -> bool {
    matches!(token, Some(TokenTree::Group(group)) if group.delimiter() == delimiter)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn constant(file: &str, name: &str) -> Mutant {
        Mutant {
            number: 7,
            name: name.to_owned(),
            file: file.to_owned(),
            genre: CONSTANT.to_owned(),
            span: 0..0,
            replacement: name.to_owned(),
            result: String::new(),
        }
    }

    fn found(file: &str, source: &str) -> Vec<String> {
        let constants = [constant("crates/a/src/lanes.rs", "MOST")];
        let uses = uses(file, source, &constants).unwrap();
        uses.into_iter().map(|of| source[of.span].to_owned()).collect()
    }

    #[test]
    fn uses_are_those_of_the_constant_of_this_file_or_of_an_imported_one() {
        let here = "crates/a/src/lanes.rs";
        assert_eq!(found(here, "const MOST: u8 = 2; fn f() { g(MOST, x!(Self::MOST)) }"), ["MOST", "Self::MOST"]);
        assert_eq!(found(here, "const B: u8 = MOST * 2; const fn f() -> u8 { MOST } fn g(a: [u8; MOST]) {}"), [""; 0]);
        assert_eq!(found(here, "fn f<T: 'static>() { MOST }"), ["MOST"]);
        assert_eq!(found(here, "#[at(MOST)] mod tests { use super::MOST; fn f() { MOST } }"), ["MOST"]);
        let other = "crates/a/src/other.rs";
        assert_eq!(found(other, "fn f() { MOST }"), [""; 0]);
        assert_eq!(found(other, "use super::lanes::MOST; fn f() { MOST }"), ["MOST"]);
        assert_eq!(found(other, "fn f() { crate::lanes::MOST + tabs::MOST }"), ["crate::lanes::MOST"]);
        assert_eq!(found("crates/a/src/lanes/tests.rs", "use super::*; fn f() { MOST }"), ["MOST"]);
        assert_eq!(found("crates/a/src/lanes/one.rs", "use super::MOST; fn f() { MOST }"), ["MOST"]);
    }

    #[test]
    fn constants_with_numbers_outside_of_tests_are_listed() {
        let folder = tempfile::tempdir().unwrap();
        let source = "const A: u8 = 1;\nconst B: &str = \"\";\nimpl C { const D: Duration = X; }\n\
                      #[cfg(test)]\nmod tests { const E: u8 = 1; }\n";
        std::fs::write(folder.path().join("a.rs"), source).unwrap();
        let listed = of_files(folder.path(), &["a.rs".to_owned()], 5).unwrap();
        let names: Vec<(u32, &str)> = listed.iter().map(|of| (of.number, &*of.name)).collect();
        assert_eq!(names, [(5, "a.rs:1:7: change A"), (6, "a.rs:3:16: change D")]);
    }
}
