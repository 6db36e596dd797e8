//! What this browser's guest has, for the account that is signed in now: offered once, and taken over by one button.

use askama::Template;
use axum::extract::Request;
use axum::response::Response;
use http::StatusCode;
use store::GuestThings;

use super::{AppState, Visit, refused, visit, way_on};
use crate::Frame;
use service::accounts::claim;
use service::error::{Code, ServiceError};

/// Where the page is.
pub(super) const PATH: &str = "/conta/claim";

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
    /// How many of each kind there are, in words; only of what there is.
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

/// Shows what there is to take over, or takes it; on to where the reader was going where there is nothing.
pub(super) async fn show(state: AppState, request: Request) -> Response {
    visit(state.0, request, async |mut visit| match shown(&mut visit).await {
        Ok(response) => response,
        Err(error) => refused(&visit, &error, PATH),
    })
    .await
}

async fn shown(visit: &mut Visit) -> Result<Response, ServiceError> {
    visit.cx.caller.required_session()?;
    let way_on = way_on(visit.field("return_to")).to_owned();
    let Some(token) = visit.guest.clone() else { return Ok(visit.lead(&way_on)) };
    let things = if visit.is_sent {
        let taken = match claim::take(&visit.cx, &token).await {
            // Another account was quicker.
            Err(error) if error.code == Code::UnknownGuest => None,
            taken => Some(taken?),
        };
        // Its token opens nothing any more.
        visit.forget_guest();
        let Some(taken) = taken else { return Ok(visit.lead(&way_on)) };
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
