//! Claiming: moves what this browser's guest owns to the account, after one confirmation. A guest who asked for alerts about a page
//! gets them with it.

use askama::Template;
use axum::extract::Request;
use axum::response::Response;
use http::StatusCode;
use model::id::Owner;
use store::GuestThings;

use super::visit::{AccountVisit, AppState, CLAIM_PATH, refused, visit, way_on};
use crate::address::tab_to_watch;
use crate::frame::Frame;
use service::accounts::claim;
use service::error::{Code, ServiceError};
use service::{audits, tabs, watches};

#[derive(Template)]
#[template(path = "account_claim.html")]
struct ClaimPage<'a> {
    frame: Frame<'a>,
    csrf: &'a str,
    things: GuestThings,
    /// They are the account's now.
    is_done: bool,
    /// The watch of a page begins with it.
    begins_watch: bool,
    /// Where the reader was going: the path, and its address in their language.
    way_on: &'a str,
    on: String,
}

impl ClaimPage<'_> {
    /// Of the document and its heading. Nothing is imported where the account follows the guest's page already.
    fn title(&self) -> &'static str {
        match self.things.is_empty() {
            true => self.frame.t("Daily alerts", "Alertas diários"),
            false => self.frame.t("Import guest data", "Importar dados de visitante"),
        }
    }

    /// Count and label of each kind that the guest owns.
    fn lines(&self) -> Vec<(u64, &'static str)> {
        let text = |en, pt| model::lang::text(en, pt).in_lang(self.frame.reader.lang);
        let lines = [
            (self.things.tabs, text("Followed pages:", "Páginas seguidas:")),
            (self.things.audits, text("Audits:", "Auditorias:")),
            (self.things.shares, text("Shared reports:", "Relatórios compartilhados:")),
            (self.things.purchases, text("Purchased credits:", "Créditos comprados:")),
        ];
        lines.into_iter().filter(|(count, _)| *count > 0).collect()
    }
}

/// Shows what can be claimed, or claims it; redirects where there is nothing to claim.
pub(super) async fn show(state: AppState, request: Request) -> Response {
    visit(state.0, request, async |mut visit| match shown(&mut visit).await {
        Ok(response) => response,
        Err(error) => refused(&visit, &error, CLAIM_PATH),
    })
    .await
}

async fn shown(visit: &mut AccountVisit) -> Result<Response, ServiceError> {
    visit.cx.caller.required_session()?;
    let way_on = way_on(visit.field("return_to")).to_owned();
    let Some(token) = visit.guest.clone() else { return Ok(visit.lead(&way_on)) };
    let things = if visit.is_sent {
        let to_watch = match tab_to_watch(&way_on) {
            Some(tab) => Some(own_tab(visit, &token, tab).await?),
            None => None,
        };
        let taken = match claim::take(&visit.cx, &token).await {
            // Claimed by another account meanwhile.
            Err(error) if error.code == Code::UnknownGuest => None,
            taken => Some(taken?),
        };
        // The guest token is no longer valid.
        visit.forget_guest();
        let Some(taken) = taken else { return Ok(visit.lead(&way_on)) };
        if let Some(tab) = to_watch {
            return watched(visit, &tab).await;
        }
        if way_on != "/conta" {
            // Who was on the way to a page goes on there.
            return Ok(visit.lead_after(&way_on, "imported"));
        }
        let model::claim::MovedRows { audits, tabs, shares } = taken.moved;
        GuestThings { audits, tabs, shares, purchases: taken.purchases }
    } else {
        claim::offered(&visit.cx, &token).await?
    };
    if things.is_empty() {
        let asked = if visit.is_sent { None } else { tab_to_watch(&way_on) };
        let follows_already = match asked {
            Some(tab) => own_tab(visit, &token, tab).await? != tab,
            None => false,
        };
        if !follows_already {
            return Ok(visit.lead(&way_on));
        }
    }
    let begins_watch = tab_to_watch(&way_on).is_some();
    let on = if visit.is_sent || opens(visit, &way_on).await? { way_on.as_str() } else { "/workspace" };
    let (frame, csrf, is_done, on) = (visit.frame(), visit.csrf.as_str(), visit.is_sent, visit.in_lang(on));
    let page = ClaimPage { frame, csrf, things, is_done, begins_watch, way_on: &way_on, on };
    Ok(visit.page(StatusCode::OK, &page))
}

/// Whether the account can open a page without importing: a report or followed page may be the guest's.
async fn opens(visit: &AccountVisit, path: &str) -> Result<bool, ServiceError> {
    let owner = Owner::Account(visit.cx.caller.required_session()?.account.clone());
    let mut parts = path.split(['?', '#']).next().unwrap_or_default().split('/').skip(1);
    let missing = match (parts.next(), parts.next()) {
        (Some("workspace"), Some(tab)) if tabs::tab_id(tab).is_ok() => {
            tabs::tab(&visit.cx.services, &owner, tab).await.err()
        }
        (Some("reports"), Some(id)) => audits::readable_head(&visit.cx, &owner, id.to_owned()).await.err(),
        _ => None,
    };
    match missing {
        Some(error) if matches!(error.code, Code::TabNotFound | Code::AuditNotFound) => Ok(false),
        Some(error) => Err(error),
        None => Ok(true),
    }
}

/// The tab that is to be watched: the guest's, or the one by which the account follows its page already.
async fn own_tab(visit: &AccountVisit, token: &str, tab: &str) -> Result<String, ServiceError> {
    let own = match tabs::tab_id(tab) {
        Ok(id) => claim::followed_already(&visit.cx, token, &id).await?,
        // No tab has such an id; that is found after the claim.
        Err(_) => None,
    };
    Ok(own.unwrap_or_else(|| tab.to_owned()))
}

/// Begins the daily watch of a page of the account, and leads to the page.
async fn watched(visit: &AccountVisit, tab: &str) -> Result<Response, ServiceError> {
    let owner = Owner::Account(visit.cx.caller.required_session()?.account.clone());
    let tab = match tabs::tab(&visit.cx.services, &owner, tab).await {
        Ok(tab) => tab,
        // It was not the guest's, or stayed behind as the account follows as many pages as it may.
        Err(error) if error.code == Code::TabNotFound => return Ok(visit.lead_after("/workspace", "imported")),
        Err(error) => return Err(error),
    };
    let edit = watches::TabEdit { monitor: Some(true), ..watches::TabEdit::default() };
    watches::change(&visit.cx, &owner, &tab, edit).await?;
    Ok(visit.lead_after(&format!("/workspace/{}", tab.id), "alerts_on"))
}
