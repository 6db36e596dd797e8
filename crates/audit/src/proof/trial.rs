//! One trial: some fixes applied to the page's own bytes, and the result judged as any page is.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use model::capture::{Body, Capture, Exchange, Extra, Fetched, Timing, Want, WantKind};
use model::fix::FixClass;
use model::patch::{FilePatch, Unproven};
use url::Url;

use super::effective::Effective;
use super::subject::{self, FixSubject};
use super::tree::{self, Meant};
use crate::causes::FoundCheck;
use crate::checks;
use crate::facts::Facts;
use crate::facts::document::Document;
use crate::facts::page::Html;
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
    /// What each check came to, by code.
    pub(crate) outcomes: &'a BTreeMap<&'static str, CheckOutcome>,
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
}

/// Makes trials of one audit.
pub(super) struct Bench<'a, 'f> {
    audited: &'a AuditedPage<'a, 'f>,
    own_files: OwnFiles<'a>,
    /// The capture, with whatever a trial puts in the place of the page.
    capture: Capture,
    effective: Option<Effective>,
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
            capture: facts.capture.clone(),
            effective: facts.markup().map(|html| Effective::of(facts, html)),
        }
    }

    /// What a fix is about.
    pub(super) fn subjects(&self, item: &Drafted) -> Vec<FixSubject> {
        subject::of(&item.draft, self.audited.facts.markup())
    }

    /// Applies the ready ones among some fixes, and judges what comes of it.
    pub(super) fn trial(&mut self, items: &[&Drafted], scope: TrialScope) -> Result<Vec<FoundCheck>, TrialFailure> {
        let source = self.audited.source();
        let ready = Ready::of(source, self.own_files, items);
        let splices = ready.splices();
        let subjects: BTreeSet<FixSubject> = items.iter().flat_map(|item| self.subjects(item)).collect();
        let patched = match source.filter(|_| !splices.is_empty()) {
            Some(source) => Some(self.patched(source, &splices, items, &subjects)?),
            None => None,
        };
        let target = ListedPage::of(self.audited.facts.capture, self.audited.page);
        let (extras, files) = with_files(self.audited, &ready.files, &target);
        let (own, page) = match patched {
            Some(Patched { html, exchange }) => (Some(exchange), Some(Page { html: Some(html) })),
            None => (None, None),
        };
        let before = own.map(|own| std::mem::replace(&mut self.capture.page, Fetched::Response(own)));
        let extras = extras.map(|extras| std::mem::replace(&mut self.capture.extras, extras));
        let page = page.as_ref().unwrap_or(self.audited.page);
        let facts = Facts::new(&self.capture, page, files.as_ref().unwrap_or(self.audited.files));
        let judged = self.judged(&facts, page, items, &subjects, scope);
        drop(facts);
        if let Some(before) = before {
            self.capture.page = before;
        }
        if let Some(extras) = extras {
            self.capture.extras = extras;
        }
        judged
    }

    /// The changed page, read again; a failure where it can't be written or something else of it changed.
    fn patched(
        &self,
        source: PageSource<'_>,
        splices: &[Splice],
        items: &[&Drafted],
        subjects: &BTreeSet<FixSubject>,
    ) -> Result<Patched, TrialFailure> {
        let spans: Vec<Range<usize>> = splices.iter().map(|splice| splice.span.clone()).collect();
        let in_file: Option<Vec<Range<usize>>> = source.file_spans(&spans).into_iter().collect();
        let in_file = in_file.ok_or(TrialFailure::of(Unproven::NoPlace))?;
        let texts = splices.iter().map(|splice| source.encoded(&splice.text).into_owned());
        let in_file: Vec<(Range<usize>, Vec<u8>)> = in_file.into_iter().zip(texts).collect();
        let bytes = patch::spliced(source.bytes, &in_file).ok_or(TrialFailure::of(Unproven::NoPlace))?;
        let old = self.audited.facts.capture.page.response().ok_or(TrialFailure::of(Unproven::NoPlace))?;
        let exchange = Exchange { body: Body { bytes, ..old.body.clone() }, ..old.clone() };
        let html = Html::read_after(&exchange, Some(source.html));
        let mut html = html.ok_or(TrialFailure::of(Unproven::ChangesText))?;
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
            let changes: Vec<_> = splices.iter().map(|splice| (splice.span.clone(), splice.text.as_str())).collect();
            // On a page that is misread, what is written is read otherwise too.
            let expected = (!source.html.unlabelled_utf8).then(|| spliced_text(source.document().source(), &changes));
            match expected {
                Some(expected) if expected.as_deref() != Some(html.document.source()) => Some(Unproven::ChangesText),
                Some(_) => tree::harm(source.document(), &html.document, &changes, &meant),
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
        let base = Document::parse(html.charset.decode(source.bytes));
        let mark = if source.bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
        let mut changes: Vec<(Range<usize>, String)> = Vec::new();
        let (mut at, mut read) = (mark, 0);
        for (span, text) in in_file {
            read += decode(source.bytes.get(at..span.start)?).len();
            let gone = decode(source.bytes.get(span.clone())?).len();
            changes.push((read..read + gone, decode(text)));
            read += gone;
            at = span.end;
        }
        let changes: Vec<_> = changes.iter().map(|(span, text)| (span.clone(), text.as_str())).collect();
        match spliced_text(base.source(), &changes) {
            Some(expected) if expected == html.document.source() => tree::harm(&base, &html.document, &changes, meant),
            _ => Some(Unproven::ChangesText),
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
    ) -> Result<Vec<FoundCheck>, TrialFailure> {
        let mut stays = Vec::new();
        let mut new = Vec::new();
        let mut found: Vec<FoundCheck> = Vec::new();
        for check in checks::all() {
            let is_own = items.iter().any(|item| item.check.code == check.code);
            let uncovered = || items.iter().any(|item| uncover::may_show(item.check.code, check.code));
            let is_new = || self.audited.outcomes.get(check.code) == Some(&CheckOutcome::Fine) && !uncovered();
            let is_new = !is_own && is_new();
            // Of a check that found something before, or could not be measured, no finding makes the trial fail.
            if !is_own && !is_new && scope == TrialScope::Failures {
                continue;
            }
            let Ok(Some(problem)) = judge::run(check, facts) else { continue };
            found.push((check, problem.severity(check)));
            if is_own {
                stays.push(check.code.to_owned());
            } else if is_new {
                new.push(check.code.to_owned());
            }
        }
        if !stays.is_empty() {
            return Err(TrialFailure { reason: Unproven::Stays, detail: stays });
        }
        if !new.is_empty() {
            return Err(TrialFailure { reason: Unproven::CausesFinding, detail: new });
        }
        let Some((before, html)) = self.effective.as_ref().zip(page.html.as_ref()) else { return Ok(found) };
        let after = Effective::of(facts, html);
        if let Some(tag) = before.doubled(&after) {
            return Err(TrialFailure { reason: Unproven::DoublesTag, detail: vec![tag.to_owned()] });
        }
        let recoded = subjects.contains(&FixSubject::Encoding);
        match before.moved(&after, |subject| subjects.contains(subject), recoded) {
            Some(subject) => Err(TrialFailure { reason: Unproven::MovesFact, detail: vec![format!("{subject:?}")] }),
            None => Ok(found),
        }
    }
}

/// Text with spans replaced.
fn spliced_text(source: &str, changes: &[(Range<usize>, &str)]) -> Option<String> {
    let mut out = String::with_capacity(source.len() + 4096);
    let mut at = 0;
    for (span, text) in changes {
        out.push_str(source.get(at..span.start)?);
        out.push_str(text);
        at = span.end;
    }
    out.push_str(source.get(at..)?);
    Some(out)
}

/// The site with files as a patch has them: `None` where it changes none.
fn with_files(
    audited: &AuditedPage<'_, '_>,
    patches: &[FilePatch],
    target: &ListedPage,
) -> (Option<Vec<Extra>>, Option<SiteFiles>) {
    let capture = audited.facts.capture;
    let Some(base) =
        Some(audited.facts.final_url()).filter(|_| !patches.is_empty()).and_then(|url| Url::parse(url).ok())
    else {
        return (None, None);
    };
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
            if let Some(file) = SiteFile::read(&extra, target) {
                files.replace(file);
            }
        }
    }
    (Some(extras), Some(files))
}

/// Whether a file was asked for at an address, or came from there.
fn is_at(extra: &Extra, url: &str) -> bool {
    extra.want.url == url || extra.fetched.response().is_some_and(|exchange| exchange.url == url)
}

/// A file as a server sends it.
fn served(url: &str, content: &str) -> Exchange {
    let kind = match url.rsplit_once('.').map(|(_, ending)| ending) {
        Some("xml") => "application/xml",
        _ => "text/plain; charset=utf-8",
    };
    Exchange {
        hops: Vec::new(),
        url: url.to_owned(),
        status: 200,
        headers: vec![("content-type".to_owned(), kind.to_owned())],
        body: Body { bytes: content.as_bytes().to_vec(), ..Body::default() },
        timing: Timing::default(),
        ambiguous_length: false,
        certificate: None,
    }
}
