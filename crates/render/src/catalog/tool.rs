//! Tools: a family of checks as something to use, with a worked example that the engine itself has judged.

use std::sync::OnceLock;

use audit::check::{Category, Check, Family};
use audit::checks::FAMILIES;
use audit::preview::{SearchResult, search_result};
use audit::{Page, SiteFiles, example};
use model::finding::Finding;
use model::fix::Fix;
use model::lang::{Lang, Text, text};
use schemars::JsonSchema;
use serde::Serialize;

use super::calls;
use crate::edits;

/// Audit results of the worked example of each family, computed on first use.
#[derive(Debug)]
pub struct Examples(Vec<OnceLock<Worked>>);

/// A worked example.
#[derive(Debug)]
pub struct Worked {
    /// The findings of the family, each with its fix.
    pub findings: Vec<(Finding, Fix)>,
    /// Where the page of the example is.
    pub url: String,
    /// What a search result may show of it; `None` where it is no HTML page.
    pub result: Option<SearchResult>,
}

impl Default for Examples {
    fn default() -> Self {
        Self(FAMILIES.iter().map(|_| OnceLock::new()).collect())
    }
}

impl Examples {
    /// The worked example of a family. The first time it takes as long as an audit takes once all is fetched.
    pub fn of(&self, family: &Family) -> Option<&Worked> {
        let at = FAMILIES.iter().position(|known| known.slug == family.slug)?;
        self.0.get(at).map(|cell| cell.get_or_init(|| worked(family)))
    }
}

fn worked(family: &Family) -> Worked {
    // A test reads every example of the catalog.
    let capture = example::capture(family.landing.example).unwrap_or_else(|fault| {
        tracing::error!(family = family.slug, fault, "an example of the catalog can't be read");
        example::page(example::PAGE_URL, "")
    });
    let page = Page::read(&capture);
    let result = search_result(&capture, &page);
    let report = audit::report_on(&capture, &page, &SiteFiles::read(&capture, &page));
    let all = report.findings.into_iter().zip(report.fixes);
    let findings = all.filter(|(finding, _)| super::has(family, &finding.code));
    Worked { findings: findings.collect(), url: report.url, result }
}

/// A tool (Ferramenta): a family of checks with a page of its own.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Ferramenta")]
pub struct Tool {
    /// Its name in addresses.
    slug: &'static str,
    /// Title of the document.
    title: &'static str,
    /// The question that it answers.
    h1: &'static str,
    /// Meta description.
    description: &'static str,
    /// Purpose, and why it matters.
    lead: &'static str,
    /// Group of the catalog.
    category: &'static str,
    /// Icon of its category, from the Lucide set.
    icon: &'static str,
    /// Codes of its checks.
    checks: Vec<&'static str>,
    /// What a search result may show of the worked example's page.
    serp: Serp,
    /// Content of its page.
    sections: Vec<Section>,
    /// Related addresses.
    #[serde(rename = "_links")]
    links: ToolLinks,
}

/// Approximate search result.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Serp {
    /// The title, cut as in a desktop result.
    title: String,
    /// The address.
    url: String,
    /// The description; empty where the page gives none.
    description: String,
}

/// A section of a tool's page.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ToolSection")]
pub struct Section {
    /// `checks`, `example`, `fix` or `api`.
    id: &'static str,
    /// Its heading.
    heading: &'static str,
    /// Markdown.
    body: String,
    /// Source code of the section: the example's page, its first fix, the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
}

/// Addresses of a tool.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ToolLinks {
    /// This document.
    #[serde(rename = "self")]
    this: String,
    /// The landing as a page.
    html: String,
    /// All tools.
    tools: String,
    /// `GET /api/`.
    api_index: String,
}

const CHECKS: Text = text("What it checks", "O que ela verifica");
const EXAMPLE: Text = text("A worked example", "Um exemplo resolvido");
const FIX: Text = text("How to fix it", "Como corrigir");
const API: Text = text("Use the API", "Use a API");

impl Tool {
    /// The tool of a family; `origin` is the service's public one.
    pub fn new(family: &Family, worked: Option<&Worked>, origin: &str, lang: Lang) -> Self {
        let landing = &family.landing;
        Self {
            slug: family.slug,
            title: landing.title.in_lang(lang),
            h1: landing.h1.in_lang(lang),
            description: landing.description.in_lang(lang),
            lead: landing.lead.in_lang(lang),
            category: family.category.word(),
            icon: icon(family.category),
            checks: family.checks.iter().map(|check| check.code).collect(),
            serp: serp(worked),
            sections: vec![
                checked(family, lang),
                shown(family, worked, lang),
                mended(family, worked, lang),
                called(origin, lang),
            ],
            links: ToolLinks {
                this: format!("{origin}/api/tools/{}", family.slug),
                html: format!("{origin}/tools/{}", family.slug),
                tools: format!("{origin}/api/tools"),
                api_index: format!("{origin}/api/"),
            },
        }
    }
}

fn serp(worked: Option<&Worked>) -> Serp {
    match worked.and_then(|worked| worked.result.clone()) {
        Some(SearchResult { title, url, description }) => Serp { title, url, description },
        // Of what is no page a result shows the address, if anything.
        None => {
            let url = worked.map_or(example::PAGE_URL, |worked| &worked.url);
            Serp { title: url.to_owned(), url: url.to_owned(), description: String::new() }
        }
    }
}

fn checked(family: &Family, lang: Lang) -> Section {
    let line = |check: &Check| {
        let (title, severity, rule) = (check.title.in_lang(lang), check.severity.word(), check.rule.in_lang(lang));
        format!("- **{title}** (`{}`, {severity}): {rule}\n", check.code)
    };
    section("checks", CHECKS, lang, family.checks.iter().map(line).collect())
}

fn shown(family: &Family, worked: Option<&Worked>, lang: Lang) -> Section {
    const SAYS: Text = text("The audit of this page reports:", "A auditoria desta página relata:");
    let findings = worked.map(|worked| worked.findings.as_slice()).unwrap_or_default();
    let line = |(finding, _): &(Finding, Fix)| {
        format!("- `{}` ({}): {}\n", finding.code, finding.severity.word(), finding.message.in_lang(lang))
    };
    let body = format!("{}\n\n{}", SAYS.in_lang(lang), findings.iter().map(line).collect::<String>());
    Section { code: Some(family.landing.example.to_owned()), ..section("example", EXAMPLE, lang, body) }
}

fn mended(family: &Family, worked: Option<&Worked>, lang: Lang) -> Section {
    let line = |check: &Check| format!("- `{}`: {}\n", check.code, check.how.in_lang(lang));
    let first = worked.and_then(|worked| worked.findings.iter().find_map(|(_, fix)| edits::ready(fix, lang)));
    let body = family.checks.iter().map(line).collect();
    Section { code: first, ..section("fix", FIX, lang, body) }
}

fn called(origin: &str, lang: Lang) -> Section {
    const BODY: Text = text(
        "`POST /api/audit` runs every check on the page. The findings of this tool are those with one of its codes.",
        "`POST /api/audit` roda todas as verificações na página. Os achados desta ferramenta são os que têm um dos códigos dela.",
    );
    let body = BODY.in_lang(lang).to_owned();
    Section { code: Some(calls::curl(origin)), ..section("api", API, lang, body) }
}

fn section(id: &'static str, heading: Text, lang: Lang, body: String) -> Section {
    Section { id, heading: heading.in_lang(lang), body: body.trim_end().to_owned(), code: None }
}

/// Whether what a category judges is what a search result shows of a page.
pub fn shapes_results(category: Category) -> bool {
    matches!(
        category,
        Category::Canonical | Category::Head | Category::Content | Category::StructuredData | Category::I18n
    )
}

/// A picture's name in the Lucide set.
fn icon(category: Category) -> &'static str {
    match category {
        Category::Http => "route",
        Category::Indexing => "eye",
        Category::Crawl => "map",
        Category::Canonical => "link-2",
        Category::Head => "file-code",
        Category::Content => "heading",
        Category::Links => "link",
        Category::Images => "image",
        Category::StructuredData => "braces",
        Category::I18n => "languages",
        Category::Social => "share-2",
        Category::Performance => "gauge",
        Category::Security => "shield",
        Category::Agents => "bot",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_example_is_read_and_shows_its_family() {
        for family in FAMILIES.iter().filter(|family| !family.landing.example.is_empty()) {
            assert_eq!(example::capture(family.landing.example).map(drop), Ok(()), "{}", family.slug);
            assert!(!worked(family).findings.is_empty(), "{}: its example shows nothing of it", family.slug);
        }
    }

    #[test]
    fn every_category_has_a_picture_of_its_own() {
        let categories: BTreeSet<Category> = FAMILIES.iter().map(|family| family.category).collect();
        let icons: BTreeSet<&str> = categories.iter().map(|category| icon(*category)).collect();
        assert_eq!(icons.len(), categories.len());
    }
}
