//! Claiming: moves what this browser's guest owns to the account, after one confirmation.

use askama::Template;
use axum::extract::Request;
use axum::response::Response;
use http::StatusCode;
use store::GuestThings;

use super::visit::{AccountVisit, AppState, CLAIM_PATH, refused, visit, way_on};
use crate::frame::Frame;
use service::accounts::claim;
use service::error::{Code, ServiceError};

#[derive(Template)]
#[template(path = "account_claim.html")]
struct ClaimPage<'a> {
    frame: Frame<'a>,
    csrf: &'a str,
    things: GuestThings,
    /// They are the account's now.
    is_done: bool,
    /// Where the reader was going: the path, and its address in their language.
    way_on: &'a str,
    on: String,
}

impl ClaimPage<'_> {
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
        let taken = match claim::take(&visit.cx, &token).await {
            // Claimed by another account meanwhile.
            Err(error) if error.code == Code::UnknownGuest => None,
            taken => Some(taken?),
        };
        // The guest token is no longer valid.
        visit.forget_guest();
        let Some(taken) = taken else { return Ok(visit.lead(&way_on)) };
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
        return Ok(visit.lead(&way_on));
    }
    let (frame, csrf, is_done, on) = (visit.frame(), visit.csrf.as_str(), visit.is_sent, visit.in_lang(&way_on));
    let page = ClaimPage { frame, csrf, things, is_done, way_on: &way_on, on };
    Ok(visit.page(StatusCode::OK, &page))
}
