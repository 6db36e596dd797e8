//! Where a mutation can be switched on and off: the expression or the arm of a match around it.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use anyhow::{Context as _, Result, bail};
use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};
use syn::{Arm, BinOp, Expr, ExprBinary, ExprMatch, ExprStruct, ExprUnary, Pat};

use super::list::{CONSTANT, Mutant};

/// The places of a file's mutations, by byte.
#[derive(Debug, Default)]
pub(crate) struct Places {
    /// Expressions, by start and end, each with the mutations inside it that it hosts.
    pub(crate) expressions: BTreeMap<(usize, usize), Vec<Mutant>>,
    /// Ends of the patterns of arms to delete.
    pub(crate) arms: Vec<(usize, Mutant)>,
    /// Bodies of functions, by start and end.
    pub(crate) bodies: BTreeMap<(usize, usize), Vec<Mutant>>,
    /// Those that no compiler takes: `||` between conditions of which one is a `let`, and a match without an arm that
    /// another stands in for.
    pub(crate) unviable: Vec<u32>,
}

/// The place of each mutation of a source file. Fails where one is of no genre known here, or at no place of its genre.
pub(crate) fn places(source: &str, mutants: &[Mutant]) -> Result<Places> {
    let file = syn::parse_file(source).context("the source can't be parsed")?;
    let mut finder = Finder { places: Places::default(), wanted: HashMap::new(), root: None };
    for mutant in mutants {
        match mutant.genre.as_str() {
            "FnValue" => {
                let body = (mutant.span.start, mutant.span.end);
                finder.places.bodies.entry(body).or_default().push(mutant.clone());
            }
            "MatchArmGuard" | CONSTANT => finder.host(&mutant.span, vec![mutant.clone()]),
            genre @ ("BinaryOperator" | "UnaryOperator" | "MatchArm" | "StructField") => {
                finder.wanted.entry((genre.to_owned(), mutant.span.start)).or_default().push(mutant.clone());
            }
            genre => bail!("{}: mutations of the genre {genre} have no switch", mutant.name),
        }
    }
    finder.visit_file(&file);
    match finder.wanted.into_values().flatten().next() {
        Some(mutant) => bail!("{}: not found in its file", mutant.name),
        None => Ok(finder.places),
    }
}

struct Finder {
    places: Places,
    /// Mutations not yet found, by genre and start.
    wanted: HashMap<(String, usize), Vec<Mutant>>,
    /// The whole of the operators that are visited. Text that replaces one of them may bind otherwise, so the whole is
    /// what has two versions.
    root: Option<Range<usize>>,
}

impl Finder {
    fn take(&mut self, genre: &str, start: usize) -> Vec<Mutant> {
        self.wanted.remove(&(genre.to_owned(), start)).unwrap_or_default()
    }

    fn host(&mut self, span: &Range<usize>, mutants: Vec<Mutant>) {
        if !mutants.is_empty() {
            self.places.expressions.entry((span.start, span.end)).or_default().extend(mutants);
        }
    }

    /// Visits an operand, which is of the same whole if it is an operator itself.
    fn visit_operand(&mut self, operand: &Expr, root: Option<&Range<usize>>) {
        self.root = root.filter(|_| matches!(operand, Expr::Binary(_) | Expr::Unary(_))).cloned();
        visit::visit_expr(self, operand);
        self.root = None;
    }
}

impl<'ast> Visit<'ast> for Finder {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        self.root = None;
        visit::visit_expr(self, expr);
    }

    fn visit_expr_binary(&mut self, binary: &'ast ExprBinary) {
        let found = self.take("BinaryOperator", binary.op.span().byte_range().start);
        if joins_let(binary) {
            self.places.unviable.extend(found.iter().map(|mutant| mutant.number));
            self.visit_operand(&binary.left, None);
            self.visit_operand(&binary.right, None);
            return;
        }
        let root = self.root.take().unwrap_or_else(|| binary.span().byte_range());
        self.host(&root, found);
        self.visit_operand(&binary.left, Some(&root));
        self.visit_operand(&binary.right, Some(&root));
    }

    fn visit_expr_unary(&mut self, unary: &'ast ExprUnary) {
        let root = self.root.take().unwrap_or_else(|| unary.span().byte_range());
        let found = self.take("UnaryOperator", unary.op.span().byte_range().start);
        self.host(&root, found);
        self.visit_operand(&unary.expr, Some(&root));
    }

    fn visit_expr_struct(&mut self, expr: &'ast ExprStruct) {
        for field in &expr.fields {
            let found = self.take("StructField", field.span().byte_range().start);
            self.host(&expr.span().byte_range(), found);
        }
        visit::visit_expr_struct(self, expr);
    }

    fn visit_expr_match(&mut self, expr: &'ast ExprMatch) {
        if !expr.arms.iter().any(|arm| matches!(arm.pat, Pat::Wild(_))) {
            for arm in &expr.arms {
                let found = self.take("MatchArm", arm.span().byte_range().start);
                self.places.unviable.extend(found.iter().map(|mutant| mutant.number));
            }
        }
        visit::visit_expr_match(self, expr);
    }

    fn visit_arm(&mut self, arm: &'ast Arm) {
        let end = arm.pat.span().byte_range().end;
        let found = self.take("MatchArm", arm.span().byte_range().start);
        self.places.arms.extend(found.into_iter().map(|mutant| (end, mutant)));
        visit::visit_arm(self, arm);
    }
}

/// Whether one of the conditions that `&&` joins is a `let`.
fn joins_let(binary: &ExprBinary) -> bool {
    let has_let = |operand: &Expr| match operand {
        Expr::Let(_) => true,
        Expr::Binary(inner) => joins_let(inner),
        _ => false,
    };
    matches!(binary.op, BinOp::And(_)) && (has_let(&binary.left) || has_let(&binary.right))
}
