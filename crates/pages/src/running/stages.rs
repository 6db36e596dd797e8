//! The stages of a running audit as lines of its page.

use engine::{AuditStep, FileCount};
use model::lang::{Lang, Phrase, Text, text};
use render::lab::measure;
use service::running::RunningAudit;
use tokio::time::Instant;

/// Writes each stage once, when it has ended.
pub(super) struct Stages {
    lang: Lang,
    /// Stages that were written.
    written: usize,
}

impl Stages {
    pub(super) fn new(lang: Lang) -> Self {
        Self { lang, written: 0 }
    }

    /// Lines of the stages that have ended since the last call.
    pub(super) fn ended_since(&mut self, audit: &RunningAudit) -> String {
        let lines: String = (self.written..audit.steps.len()).map(|at| self.line(audit, at)).collect();
        self.written = audit.steps.len();
        lines
    }

    fn line(&self, audit: &RunningAudit, at: usize) -> String {
        let Some((step, ended)) = audit.steps.get(at) else { return String::new() };
        let took = ended.saturating_duration_since(began(audit, *step)).as_secs_f64() * 1_000.0;
        let (number, name, found) = described(*step);
        let (name, found) = (name.in_lang(self.lang), found.in_lang(self.lang).to_owned());
        // Our own words and numbers: nothing to escape.
        format!(
            "<li class=\"ended s{number}\"><span>{name}</span> <span class=\"hint number\">{}</span> <span class=\"hint\">{found}</span></li>\n",
            measure(took, true, self.lang)
        )
    }

    /// The way to the page that shows how the audit ended: at once, and as a link.
    pub(super) fn way_on(&self, path: &str) -> String {
        const OPEN: Text = text("Open the result", "Abrir o resultado");
        // Paths of ours hold ids, and names of tools and languages; of what must be escaped there is only `&`.
        let path = path.replace('&', "&amp;");
        format!(
            "<meta http-equiv=\"refresh\" content=\"0; url={path}\"><p><a class=\"button\" href=\"{path}\">{}</a></p>",
            OPEN.in_lang(self.lang)
        )
    }
}

/// When a stage began: the files when the page was there, the checks after both kinds of files.
fn began(audit: &RunningAudit, step: AuditStep) -> Instant {
    let before = |other: &AuditStep| match step {
        AuditStep::Page(_) => false,
        AuditStep::Files(_) | AuditStep::Discovery(_) => matches!(other, AuditStep::Page(_)),
        AuditStep::Judged => !matches!(other, AuditStep::Judged),
    };
    let ends = audit.steps.iter().filter(|(other, _)| before(other)).map(|(_, at)| *at);
    ends.max().unwrap_or(audit.begun)
}

/// Number, name and result of a stage. The page's template has the same names, for stages that have not ended.
fn described(step: AuditStep) -> (u8, Text, Phrase) {
    const FILES: Text = text("{found} of {requested} found", "{found} de {requested} encontrados");
    const PAGE: Text = text(
        "HTTP status {status}, {bytes:size}, {n} {n|redirect|redirects}",
        "status HTTP {status}, {bytes:size}, {n} {n|redirecionamento|redirecionamentos}",
    );
    const CHECKED: Text = text("done", "feito");
    let files = |FileCount { requested, found }: FileCount| {
        FILES.phrase(&[("found", found.into()), ("requested", requested.into())])
    };
    match step {
        AuditStep::Page(page) => {
            let values =
                [("status", u32::from(page.status).into()), ("bytes", page.bytes.into()), ("n", page.redirects.into())];
            (1, text("Fetch the page", "Buscar a página"), PAGE.phrase(&values))
        }
        AuditStep::Files(count) => (2, text("robots.txt and sitemaps", "robots.txt e sitemaps"), files(count)),
        AuditStep::Discovery(count) => {
            (3, text("Icons, llms.txt and other files", "Ícones, llms.txt e outros arquivos"), files(count))
        }
        AuditStep::Judged => {
            (4, text("Run the checks, write the fixes", "Verificar e escrever as correções"), CHECKED.into())
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use engine::FetchedPage;
    use model::id::AuditId;
    use model::time::Timestamp;
    use service::running::AuditPhase;

    use super::*;

    #[test]
    fn each_stage_is_written_once_with_the_time_it_took() {
        let begun = Instant::now();
        let at = |ms| begun + Duration::from_millis(ms);
        let page = AuditStep::Page(FetchedPage { status: 200, redirects: 1, bytes: 38 * 1024 });
        let mut audit = RunningAudit {
            id: AuditId("x".to_owned()),
            owner: None,
            new_guest: None,
            url: String::new(),
            way_on: String::new(),
            is_of_form: true,
            started_at: Timestamp(0),
            begun,
            steps: vec![(page, at(400))],
            phase: AuditPhase::Running,
        };
        let mut stages = Stages::new(Lang::En);
        let line = stages.ended_since(&audit);
        assert!(
            line.contains(">400 ms<") && line.contains("HTTP status 200, ") && line.contains(", 1 redirect<"),
            "{line}"
        );
        assert_eq!(stages.ended_since(&audit), "");
        let count = FileCount { requested: 3, found: 1 };
        audit.steps.extend([
            (AuditStep::Discovery(count), at(600)),
            (AuditStep::Files(count), at(2_500)),
            (AuditStep::Judged, at(2_550)),
        ]);
        let lines = stages.ended_since(&audit);
        for part in ["s3\"", ">200 ms<", "s2\"", ">2.1 s<", "1 of 3 found", "s4\"", ">50 ms<"] {
            assert!(lines.contains(part), "{part}: {lines}");
        }
    }
}
