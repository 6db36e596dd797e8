//! The stages of an audit that a page began.

use engine::AuditStep;
use model::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use crate::operation::{Access, JsonAnswer, Operation};
use service::caller::Cx;
use service::error::{Code, ServiceError};
use service::running::{AuditEnding, RunningAudit};

/// The endpoint of this file.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("/api/running/{id}", "get_running_audit", read)
            .title("Read the progress of an audit", "Ler o andamento de uma auditoria")
            .doc(
                "The stages of an audit that was begun on a page of this site: which have ended, when, and what they found. \
                 `id` is the last part of the address of the page that shows it, and the id that the report is stored under. \
                 Kept for ten minutes after the end, by the server that runs the audit; 404 `audit_not_found` afterwards, when \
                 `GET /api/audits/{id}` has the report. `POST /api/audit` answers with its report and has no progress.",
                "As etapas de uma auditoria que começou em uma página deste site: quais terminaram, quando, e o que \
                 encontraram. `id` é a última parte do endereço da página que a mostra, e o id com que o relatório é \
                 guardado. Fica disponível por dez minutos após o fim, no servidor que roda a auditoria; depois, 404 \
                 `audit_not_found`, e `GET /api/audits/{id}` tem o relatório. `POST /api/audit` responde com o \
                 relatório e não tem andamento.",
            )
            .access(Access::Owner)
            .without_tool()
            .errors(&[Code::GuestTokenRequired, Code::AuditNotFound]),
    ]
}

/// Which audit.
#[derive(Debug, Deserialize, JsonSchema)]
struct ReadRunning {
    /// The id of the audit.
    #[schemars(extend("x-pt" = "Id da auditoria."))]
    id: String,
}

/// An audit that runs, or has ended.
#[derive(Debug, Serialize, JsonSchema)]
struct AuditProgress {
    /// The id that the report is stored under.
    id: String,
    /// The page, as it was typed.
    url: String,
    /// When it was asked for.
    started_at: Timestamp,
    /// How far it is.
    state: AuditState,
    /// All stages, in order; `files` and `discovery` run at the same time.
    stages: Vec<AuditStage>,
    /// Code of the error of an audit that failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'static str>,
    /// Related addresses.
    #[serde(rename = "_links")]
    links: ProgressLinks,
}

/// How far an audit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum AuditState {
    Running,
    Finished,
    Failed,
}

/// A stage of an audit.
#[derive(Debug, Serialize, JsonSchema)]
struct AuditStage {
    /// Its name: the page with its redirects; robots.txt and the sitemaps; the other files of the site; the checks.
    stage: StageName,
    /// How far it is.
    state: StageState,
    /// Milliseconds from the start of the audit to the end of the stage; null before.
    ended_ms: Option<u64>,
    /// Of `page`: the HTTP status of the final response.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    /// Of `page`: redirects that were followed.
    #[serde(skip_serializing_if = "Option::is_none")]
    redirects: Option<usize>,
    /// Of `page`: bytes of the decoded body.
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<usize>,
    /// Of `files` and `discovery`: files that were requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    requested: Option<usize>,
    /// Of `files` and `discovery`: files that the site has.
    #[serde(skip_serializing_if = "Option::is_none")]
    found: Option<usize>,
}

/// The stages of an audit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum StageName {
    Page,
    Files,
    Discovery,
    Checks,
}

/// How far a stage is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum StageState {
    Waiting,
    Running,
    Ended,
}

/// Absolute addresses.
#[derive(Debug, Serialize, JsonSchema)]
struct ProgressLinks {
    /// The report, once the audit has ended.
    audit: String,
}

async fn read(cx: Cx, input: ReadRunning) -> Result<JsonAnswer<AuditProgress>, ServiceError> {
    let owner = cx.caller.required_owner()?;
    let found = cx.services.running().read(&owner, &input.id);
    let running = found.ok_or_else(|| ServiceError::new(Code::AuditNotFound))?;
    Ok(JsonAnswer::new(AuditProgress {
        links: ProgressLinks { audit: cx.services.url(&format!("/api/audits/{}", running.id)) },
        stages: stages(&running.steps, running.begun),
        state: match running.ending() {
            None => AuditState::Running,
            Some(AuditEnding::Failed(_)) => AuditState::Failed,
            Some(AuditEnding::Stored | AuditEnding::Unkept(_)) => AuditState::Finished,
        },
        code: code(&running),
        id: running.id.0,
        url: running.url,
        started_at: running.started_at,
    }))
}

fn code(running: &RunningAudit) -> Option<&'static str> {
    match running.ending()? {
        AuditEnding::Failed(error) => Some(error.code.wire()),
        AuditEnding::Stored | AuditEnding::Unkept(_) => None,
    }
}

/// All stages, of the steps that have ended.
fn stages(steps: &[(AuditStep, Instant)], begun: Instant) -> Vec<AuditStage> {
    use StageName::{Checks, Discovery, Files, Page};
    let ended = |name: StageName| steps.iter().find(|(step, _)| stage_of(*step) == name);
    let has = |name| ended(name).is_some();
    let stage = |name| {
        let may_run = match name {
            Page => true,
            Files | Discovery => has(Page),
            Checks => has(Files) && has(Discovery),
        };
        let state = match (has(name), may_run) {
            (true, _) => StageState::Ended,
            (false, true) => StageState::Running,
            (false, false) => StageState::Waiting,
        };
        let ended_ms = ended(name).map(|(_, at)| at.saturating_duration_since(begun).as_millis());
        let ended_ms = ended_ms.map(|ms| u64::try_from(ms).unwrap_or(u64::MAX));
        let page = ended(name).and_then(|(step, _)| match step {
            AuditStep::Page(page) => Some(page),
            _ => None,
        });
        let files = ended(name).and_then(|(step, _)| match step {
            AuditStep::Files(count) | AuditStep::Discovery(count) => Some(count),
            _ => None,
        });
        AuditStage {
            stage: name,
            state,
            ended_ms,
            status: page.map(|page| page.status),
            redirects: page.map(|page| page.redirects),
            bytes: page.map(|page| page.bytes),
            requested: files.map(|count| count.requested),
            found: files.map(|count| count.found),
        }
    };
    [Page, Files, Discovery, Checks].map(stage).into()
}

fn stage_of(step: AuditStep) -> StageName {
    match step {
        AuditStep::Page(_) => StageName::Page,
        AuditStep::Files(_) => StageName::Files,
        AuditStep::Discovery(_) => StageName::Discovery,
        AuditStep::Judged => StageName::Checks,
    }
}

#[cfg(test)]
mod tests {
    use engine::{FetchedPage, FileCount};

    use super::*;

    #[test]
    fn files_and_discovery_run_once_the_page_is_there_and_checks_after_both() {
        let now = Instant::now();
        let page = AuditStep::Page(FetchedPage { status: 200, redirects: 1, bytes: 5 });
        let (files, discovery) =
            (AuditStep::Files(FileCount { requested: 2, found: 1 }), AuditStep::Discovery(FileCount::default()));
        let states = |steps: &[AuditStep]| {
            let steps: Vec<_> = steps.iter().map(|step| (*step, now)).collect();
            stages(&steps, now).into_iter().map(|stage| stage.state).collect::<Vec<_>>()
        };
        use StageState::{Ended, Running, Waiting};
        assert_eq!(states(&[]), [Running, Waiting, Waiting, Waiting]);
        assert_eq!(states(&[page]), [Ended, Running, Running, Waiting]);
        assert_eq!(states(&[page, discovery]), [Ended, Running, Ended, Waiting]);
        assert_eq!(states(&[page, files, discovery]), [Ended, Ended, Ended, Running]);
        assert_eq!(states(&[page, files, discovery, AuditStep::Judged]), [Ended; 4]);
    }
}
