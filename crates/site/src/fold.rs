//! Findings of pages, folded: what a template makes wrong on most of its pages is said once.

use std::collections::BTreeMap;

use model::finding::Severity;

use crate::column::Column;
use crate::facts::{NodeFinding, PageId, SiteFacts};

/// Share in percent of the pages of a template, or of the site, on which a finding stands at the same place.
const MOST_PAGES: usize = 80;
/// Pages from which on a template, or a site, is more than a coincidence.
const FEWEST: usize = 3;

/// Codes of findings that a file of the site or the server's configuration causes, wherever they are met.
const OF_SERVER: [&str; 37] = [
    "cache_headers_missing",
    "compression_missing",
    "content_encoding_invalid",
    "content_type_options_missing",
    "csp_missing",
    "frame_protection_missing",
    "hsts_missing",
    "hsts_weak",
    "http_version_old",
    "https_missing",
    "https_redirect_missing",
    "llms_txt_invalid",
    "llms_txt_missing",
    "markdown_alternate_missing",
    "discovery_file_masked",
    "referrer_policy_unsafe",
    "response_framing_ambiguous",
    "robots_txt_content_type_wrong",
    "robots_txt_html_response",
    "robots_txt_missing",
    "robots_txt_redirected_off_host",
    "robots_txt_sitemap_invalid",
    "robots_txt_sitemap_missing",
    "robots_txt_syntax_error",
    "robots_txt_too_large",
    "robots_txt_unreachable",
    "robots_txt_unsupported_rule",
    "security_txt_invalid",
    "security_txt_missing",
    "server_version_exposed",
    "sitemap_empty",
    "sitemap_missing",
    "sitemap_parse_error",
    "sitemap_too_large",
    "sitemap_unreachable",
    "soft_404_missing_path",
    "tls_certificate_expiring",
];

/// Whether a finding of this code is fixed on the server, not in a template.
pub(crate) fn is_of_server(code: &str) -> bool {
    OF_SERVER.contains(&code)
}

/// Where a finding of pages is fixed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FoldScope {
    /// In what all pages of the site share.
    Site,
    /// In a template, by its place.
    Template(usize),
    /// On each page by itself.
    Pages,
}

/// Findings of one code with one cause.
#[derive(Debug)]
pub(crate) struct Fold {
    pub(crate) code: u16,
    /// The most severe among the pages.
    pub(crate) severity: Severity,
    pub(crate) cause: FoldScope,
    /// Pages that have it, in order.
    pub(crate) pages: Vec<PageId>,
    /// Pages of the template, or of the site.
    pub(crate) of: usize,
    /// Pages of the template, or of the site, that do not have it there.
    pub(crate) exceptions: Vec<PageId>,
}

/// Findings of one code, each with its page.
type PageFindings = Vec<(PageId, NodeFinding)>;

/// Folds the findings of every page: gives each fold to `take`, in the order of codes, and of causes. One code after the other, and
/// no fold is kept: a site has millions of findings.
pub(crate) fn folds(site: &SiteFacts, take: &mut impl FnMut(Fold)) {
    let mut reported: Vec<PageId> = Vec::new();
    let mut by_code: BTreeMap<u16, Column<(PageId, NodeFinding)>> = BTreeMap::new();
    for (id, page) in site.pages().filter(|(_, page)| page.score.is_some()) {
        reported.push(id);
        for finding in site.findings(&page) {
            by_code.entry(finding.code).or_insert_with(|| Column::new(&site.spill)).push((id, finding));
        }
    }
    for (code, found) in by_code {
        fold_code(site, code, found.iter().collect(), &reported, take);
    }
}

fn fold_code(site: &SiteFacts, code: u16, found: PageFindings, reported: &[PageId], take: &mut impl FnMut(Fold)) {
    if site.codes.get(usize::from(code)).is_some_and(|code| is_of_server(code)) {
        take(Fold::new(code, FoldScope::Site, &found, reported));
        return;
    }
    let is_many_templates = site.templates().all.len() > 1;
    let mut left = found;
    if let Some(place) = common_place(&left, reported.len()).filter(|_| is_many_templates) {
        let (common, others) = split(left, place);
        take(Fold::new(code, FoldScope::Site, &common, reported));
        left = others;
    }
    let mut by_template: BTreeMap<usize, PageFindings> = BTreeMap::new();
    for (id, finding) in left {
        by_template.entry(site.templates().place_of(id).unwrap_or(usize::MAX)).or_default().push((id, finding));
    }
    let mut single = Vec::new();
    for (at, found) in by_template {
        let pages = site.templates().all.get(at).map_or(&[][..], |template| &template.pages);
        match common_place(&found, pages.len()) {
            Some(place) => {
                let (common, others) = split(found, place);
                take(Fold::new(code, FoldScope::Template(at), &common, pages));
                single.extend(others);
            }
            None => single.extend(found),
        }
    }
    if !single.is_empty() {
        single.sort_unstable_by_key(|(id, _)| *id);
        take(Fold::new(code, FoldScope::Pages, &single, &[]));
    }
}

/// The place of most of these findings, where that is most of so many pages.
fn common_place(found: &[(PageId, NodeFinding)], pages: usize) -> Option<u32> {
    let mut places: BTreeMap<u32, usize> = BTreeMap::new();
    found.iter().for_each(|(_, finding)| *places.entry(finding.place).or_default() += 1);
    let (place, count) = places.into_iter().max_by_key(|(place, count)| (*count, std::cmp::Reverse(*place)))?;
    let is_most = count >= FEWEST && count * 100 >= pages * MOST_PAGES;
    is_most.then_some(place)
}

/// The findings at a place, and the others.
fn split(found: PageFindings, place: u32) -> (PageFindings, PageFindings) {
    found.into_iter().partition(|(_, finding)| finding.place == place)
}

impl Fold {
    fn new(code: u16, cause: FoldScope, found: &[(PageId, NodeFinding)], of: &[PageId]) -> Self {
        let pages: Vec<PageId> = found.iter().map(|(id, _)| *id).collect();
        let exceptions = of.iter().copied().filter(|id| pages.binary_search(id).is_err()).collect();
        let severity = found.iter().map(|(_, finding)| finding.severity).min().unwrap_or(Severity::Info);
        Self { code, severity, cause, pages, of: of.len(), exceptions }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_the_server_are_codes_of_checks() {
        for code in OF_SERVER {
            assert!(audit::checks::find(code).is_some(), "{code}");
        }
    }
}
