//! One trial: some fixes applied to the page's own bytes, and the result judged as any page is.

use std::collections::BTreeSet;
use std::ops::Range;

use model::capture::{BodyBytes, Capture, Exchange, Extra, Fetched, Want, WantKind};
use model::finding::Severity;
use model::fix::FixClass;
use model::patch::{FilePatch, Unproven};
use url::Url;

use super::answers::{is_at, served, with_body, without_page};
use super::concern::{self, Kinds};
use super::effective::Effective;
use super::relation::Relations;
use super::subject::{self, FixSubject};
use super::tree::{self, Meant};
use crate::causes::FoundCheck;
use crate::check::Check;
use crate::facts::Facts;
use crate::facts::document::{Document, is_spliced};
use crate::facts::page::Html;
use crate::facts::page_language;
use crate::facts::resolved::breadcrumb;
use crate::facts::site_files::{SiteFile, SiteFiles};
use crate::facts::sitemap::ListedPage;
use crate::facts::walk::Page;
use crate::fix::{FixChange, OwnFiles};
use crate::judge::{self, CheckOutcome};
use crate::patch::{self, Drafted, PageSource, Ready, Splice};
use crate::uncover;

/// What an audit has found, and what trials begin from.
pub(crate) struct AuditedPage<'a, 'f> {
    /// What is known.
    pub(crate) facts: &'a Facts<'f>,
    /// The page.
    pub(crate) page: &'a Page,
    /// The files of the site.
    pub(crate) files: &'a SiteFiles,
    /// What each check came to, in the order of the catalog.
    pub(crate) outcomes: &'a [CheckOutcome],
    /// Checks that found something.
    pub(crate) found: &'a [FoundCheck],
}

impl<'f> AuditedPage<'_, 'f> {
    /// The page with its bytes, when it is a document.
    pub(crate) fn source(&self) -> Option<PageSource<'f>> {
        let bytes = self.facts.capture.page.response().map_or(&[][..], |exchange| &exchange.body.bytes);
        self.facts.markup().map(|html| PageSource { html, bytes })
    }
}

/// Why a trial failed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TrialFailure {
    pub(super) reason: Unproven,
    /// Findings that stay, or that came; the fact that moved; the tag that is there twice.
    pub(super) detail: Vec<String>,
}

impl TrialFailure {
    pub(super) fn of(reason: Unproven) -> Self {
        Self { reason, detail: Vec::new() }
    }
}

/// What is asked of a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TrialScope {
    /// All that the checks find.
    Findings,
    /// Whether it fails: only checks that can make it fail are run.
    Failures,
    /// The same of a part of what held together, where the rest touches these kinds, or all together change them: a check that
    /// looks at none of them finds here what it found with all.
    Apart(Kinds),
}

/// What a trial came to that did not fail.
#[derive(Debug)]
pub(super) struct TrialResult {
    /// All that the checks find, where that was asked.
    pub(super) found: Vec<FoundCheck>,
    /// Whether the page may be indexed now, and might not before, or the other way round.
    pub(super) hides_otherwise: bool,
    /// Whether a finding came that a fix was to show.
    pub(super) uncovers: bool,
    /// What is compared, and is not as it was.
    pub(super) compared: Kinds,
}

/// Makes trials of one audit.
pub(super) struct Bench<'a, 'f> {
    audited: &'a AuditedPage<'a, 'f>,
    own_files: OwnFiles<'a>,
    /// The capture, with whatever a trial puts in the place of the page; between trials it has none.
    capture: Capture,
    effective: Option<Effective>,
    /// What the page is taken to be written in.
    language: Option<String>,
}

/// A page changed by fixes.
struct Patched {
    html: Html,
    exchange: Exchange,
}

impl<'a, 'f> Bench<'a, 'f> {
    pub(super) fn new(audited: &'a AuditedPage<'a, 'f>, own_files: OwnFiles<'a>) -> Self {
        let facts = audited.facts;
        Self {
            audited,
            own_files,
            capture: without_page(facts.capture),
            effective: facts.markup().map(|html| Effective::of(facts, html)),
            language: page_language::read(facts),
        }
    }

    /// What a fix is about.
    pub(super) fn subjects(&self, item: &Drafted) -> Vec<FixSubject> {
        subject::of(&item.draft, self.audited.facts.markup())
    }

    /// Which fixes of the page are related.
    pub(super) fn relations(&self, hides_otherwise: bool) -> Relations {
        let mut checks = concern::checks().iter().zip(self.audited.outcomes);
        let preview = checks.find(|((check, _), _)| check.code == "max_image_preview_not_large");
        let preview_passed = preview.is_some_and(|(_, outcome)| *outcome == CheckOutcome::Fine);
        Relations { preview_passed, hides_otherwise }
    }

    /// Applies the ready ones among some fixes, and judges what comes of it.
    pub(super) fn trial(&mut self, items: &[&Drafted], scope: TrialScope) -> Result<TrialResult, TrialFailure> {
        let source = self.audited.source();
        let ready = Ready::of(source, self.own_files, items);
        let splices = ready.splices();
        let subjects: BTreeSet<FixSubject> = items.iter().flat_map(|item| self.subjects(item)).collect();
        let patched = match source.filter(|_| !splices.is_empty()) {
            Some(source) => Some(self.patched(source, &splices, items, &subjects)?),
            None => None,
        };
        let (extras, files) = with_files(self.audited, &ready.files);
        let (own, page) = match patched {
            Some(Patched { html, exchange }) => (Some(exchange), Some(Page { html: Some(html) })),
            None => (None, None),
        };
        self.capture.page = own.map_or_else(|| self.audited.facts.capture.page.clone(), Fetched::Response);
        let extras = extras.map(|extras| std::mem::replace(&mut self.capture.extras, extras));
        let page = page.as_ref().unwrap_or(self.audited.page);
        let facts = Facts::new(&self.capture, page, files.as_ref().unwrap_or(self.audited.files));
        let judged = self.judged(&facts, page, items, &subjects, scope);
        drop(facts);
        if let Some(extras) = extras {
            self.capture.extras = extras;
        }
        judged
    }

    /// The changed page, read again; a failure where it can't be written or something else of it changed.
    fn patched(
        &self,
        source: PageSource<'_>,
        splices: &[Splice<'_>],
        items: &[&Drafted],
        subjects: &BTreeSet<FixSubject>,
    ) -> Result<Patched, TrialFailure> {
        let spans: Vec<Range<usize>> = splices.iter().map(|splice| splice.span.clone()).collect();
        let in_file: Option<Vec<Range<usize>>> = source.file_spans(&spans).into_iter().collect();
        let in_file = in_file.ok_or(TrialFailure::of(Unproven::NoPlace))?;
        let texts = splices.iter().map(|splice| source.encoded(&splice.text).into_owned());
        let in_file: Vec<(Range<usize>, Vec<u8>)> = in_file.into_iter().zip(texts).collect();
        let old = self.audited.facts.capture.page.response().ok_or(TrialFailure::of(Unproven::NoPlace))?;
        let changes: Vec<_> = splices.iter().map(|splice| (splice.span.clone(), splice.text.as_str())).collect();
        let body = match source.text() {
            Some(text) => patch::spliced_text(text, &changes).map(BodyBytes::from),
            None => patch::spliced(source.bytes, &in_file).map(BodyBytes::from),
        };
        let exchange = with_body(old, body.ok_or(TrialFailure::of(Unproven::NoPlace))?);
        let html = Html::read_again(&exchange, source.html, &changes);
        let (mut html, kept) = html.ok_or(TrialFailure::of(Unproven::ChangesText))?;
        if cfg!(debug_assertions) && kept.is_some() {
            compare_body(&html, &exchange);
        }
        html.document.leave_out_places();
        let meant: Meant<'_> = items
            .iter()
            .filter(|item| item.draft.class == FixClass::Deterministic)
            .flat_map(|item| &item.draft.edits)
            .filter_map(|edit| match &edit.change {
                FixChange::SetAttribute { node, name, .. } | FixChange::RemoveAttribute { node, name } => {
                    Some((*node, name.as_str()))
                }
                _ => None,
            })
            .collect();
        if source.html.charset.meta_label.is_some() && html.charset.meta_label.is_none() {
            return Err(TrialFailure::of(Unproven::MovesCharset));
        }
        let harm = if html.charset.encoding == source.html.charset.encoding {
            // On a page that is misread, what is written is read otherwise too.
            let expected = (!source.html.unlabelled_utf8)
                .then(|| kept.is_some() || is_spliced(source.document().source(), &changes, html.document.source()));
            match expected {
                Some(false) => Some(Unproven::ChangesText),
                Some(true) => tree::harm(source.document(), &html.document, &changes, &meant, kept.as_ref()),
                None => Self::harm_by_bytes(source, &html, &in_file, &meant),
            }
        } else if subjects.contains(&FixSubject::Encoding) && std::str::from_utf8(source.bytes).is_ok() {
            Self::harm_by_bytes(source, &html, &in_file, &meant)
        } else {
            Some(Unproven::ChangesText)
        };
        match harm {
            Some(reason) => Err(TrialFailure::of(reason)),
            None => Ok(Patched { html, exchange }),
        }
    }

    /// Compares with the page as it would be read before the changes, were it read as it is after them.
    fn harm_by_bytes(
        source: PageSource<'_>,
        html: &Html,
        in_file: &[(Range<usize>, Vec<u8>)],
        meant: &Meant<'_>,
    ) -> Option<Unproven> {
        let decode = |bytes: &[u8]| html.charset.encoding.decode_without_bom_handling(bytes).0.into_owned();
        let base = Document::parse(html.charset.decode(source.bytes).into_owned());
        let mut changes: Vec<(Range<usize>, String)> = Vec::new();
        // A byte order mark decides the encoding, which no change touches then: there is none.
        let (mut at, mut read) = (0, 0);
        for (span, text) in in_file {
            read += decode(source.bytes.get(at..span.start)?).len();
            let gone = decode(source.bytes.get(span.clone())?).len();
            changes.push((read..read + gone, decode(text)));
            read += gone;
            at = span.end;
        }
        let changes: Vec<_> = changes.iter().map(|(span, text)| (span.clone(), text.as_str())).collect();
        match is_spliced(base.source(), &changes, html.document.source()) {
            true => tree::harm(&base, &html.document, &changes, meant, None),
            false => Some(Unproven::ChangesText),
        }
    }

    /// What the checks find in the trial.
    fn judged(
        &self,
        facts: &Facts<'_>,
        page: &Page,
        items: &[&Drafted],
        subjects: &BTreeSet<FixSubject>,
        scope: TrialScope,
    ) -> Result<TrialResult, TrialFailure> {
        let mut stays = Vec::new();
        let mut new = Vec::new();
        let mut found: Vec<FoundCheck> = Vec::new();
        let mut uncovers = false;
        let hides_otherwise = facts.indexable() != self.audited.facts.indexable();
        let compared = Kinds::compared(page_language::read(facts) != self.language, !self.has_same_data(facts));
        let touched = match self.is_read_as_before(facts) && !hides_otherwise {
            true => Kinds::touched(subjects.iter()).or(compared),
            false => Kinds::ALL,
        };
        let scope = match scope {
            // With all it may be as it was.
            TrialScope::Apart(others) => TrialScope::Apart(others.or(compared)),
            scope => scope,
        };
        let hiding: Vec<&str> = items.iter().map(|item| item.check.code).filter(|code| uncover::hides(code)).collect();
        for ((check, looked_at), outcome) in concern::checks().iter().copied().zip(self.audited.outcomes) {
            let is_own = items.iter().any(|item| item.check.code == check.code);
            let uncovered = || hiding.iter().any(|cause| uncover::may_show(cause, check.code));
            let was_fine = !is_own && *outcome == CheckOutcome::Fine;
            let is_new = was_fine && !uncovered();
            // Of a check that found something before, or could not be measured, no finding makes the trial fail.
            if !is_own && !is_new && scope != TrialScope::Findings {
                continue;
            }
            if !is_own && !touched.meet(looked_at) {
                let before = self.audited.found.iter().find(|(known, _)| known.code == check.code);
                spared(check, facts, before.map(|(_, severity)| *severity));
                found.extend(before);
                continue;
            }
            if matches!(scope, TrialScope::Apart(others) if touched != Kinds::ALL && !others.meet(looked_at)) {
                spared(check, facts, None);
                continue;
            }
            let Ok(Some(problem)) = judge::run(check, facts) else { continue };
            found.push((check, problem.severity(check)));
            if is_own {
                stays.push(check.code.to_owned());
            } else if is_new {
                new.push(check.code.to_owned());
            } else if was_fine {
                uncovers = true;
            }
        }
        if !stays.is_empty() {
            return Err(TrialFailure { reason: Unproven::Stays, detail: stays });
        }
        if !new.is_empty() {
            return Err(TrialFailure { reason: Unproven::CausesFinding, detail: new });
        }
        let result = TrialResult { found, hides_otherwise, uncovers, compared };
        let Some((before, html)) = self.effective.as_ref().zip(page.html.as_ref()) else { return Ok(result) };
        let after = Effective::of(facts, html);
        if let Some(tag) = before.doubled(&after) {
            return Err(TrialFailure { reason: Unproven::DoublesTag, detail: vec![tag.to_owned()] });
        }
        let recoded = subjects.contains(&FixSubject::Encoding);
        match before.moved(&after, |subject| subjects.contains(subject), recoded) {
            Some(subject) => Err(TrialFailure { reason: Unproven::MovesFact, detail: vec![format!("{subject:?}")] }),
            None => Ok(result),
        }
    }

    /// Whether the structured data is certainly what it was.
    fn has_same_data(&self, facts: &Facts<'_>) -> bool {
        let both = facts.markup().zip(self.audited.facts.markup());
        both.is_some_and(|(now, before)| {
            !now.has_items() && !before.has_items() && now.json_ld.is_same(&before.json_ld)
        })
    }

    /// Whether the page is still the same kind of answer, in the same encoding: on that every check depends.
    fn is_read_as_before(&self, facts: &Facts<'_>) -> bool {
        let before = self.audited.facts;
        let encoding = |facts: &Facts<'_>| facts.markup().map(|html| html.charset.encoding);
        facts.shell() == before.shell()
            && facts.blocked().is_some() == before.blocked().is_some()
            && encoding(facts) == encoding(before)
    }
}

/// Tests run the check that a trial spares, and compare.
fn spared(check: &Check, facts: &Facts<'_>, expected: Option<Severity>) {
    if cfg!(debug_assertions) {
        let found = judge::run(check, facts).ok().flatten().map(|problem| problem.severity(check));
        assert_eq!(found, expected, "{} looks at more than `concern` says", check.code);
    }
}

/// Tests settle what needs nothing but the body on the page read by itself, and compare.
fn compare_body(html: &Html, exchange: &Exchange) {
    let Some(whole) = Html::read(exchange) else { return };
    let _settled = (whole.content(), whole.is_article(), breadcrumb::shown(&whole), whole.garbled(), whole.size());
    assert!(html.resolved.agrees_of_body(&whole.resolved), "of {}", exchange.url);
}

/// The site with files as a patch has them: `None` where it changes none.
fn with_files(audited: &AuditedPage<'_, '_>, patches: &[FilePatch]) -> (Option<Vec<Extra>>, Option<SiteFiles>) {
    let capture = audited.facts.capture;
    let Some(base) =
        Some(audited.facts.final_url()).filter(|_| !patches.is_empty()).and_then(|url| Url::parse(url).ok())
    else {
        return (None, None);
    };
    let target = ListedPage::of(capture, audited.page);
    let (mut extras, mut files) = (capture.extras.clone(), audited.files.clone());
    for patch in patches {
        let Ok(url) = base.join(&patch.path) else { continue };
        let fetched = Fetched::Response(served(url.as_str(), &patch.content));
        let mut kinds: Vec<WantKind> = Vec::new();
        for extra in extras.iter_mut().filter(|extra| is_at(extra, url.as_str())) {
            extra.fetched.clone_from(&fetched);
            kinds.push(extra.want.kind);
        }
        if kinds.is_empty() {
            let kind = if patch.path == "/robots.txt" { WantKind::RobotsTxt } else { WantKind::Sitemap };
            extras.push(Extra { want: Want { kind, url: url.to_string() }, fetched: fetched.clone() });
            kinds.push(kind);
        }
        for kind in kinds {
            let extra = Extra { want: Want { kind, url: url.to_string() }, fetched: fetched.clone() };
            if let Some(file) = SiteFile::read(&extra, &target) {
                files.replace(file);
            }
        }
    }
    (Some(extras), Some(files))
}

#[cfg(test)]
mod tests;
