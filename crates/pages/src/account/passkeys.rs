//! Passkeys of the account, and signing in with one. WebAuthn needs a script.

use askama::Template;
use axum::extract::Request;
use axum::response::Response;
use http::StatusCode;
use store::PasskeyRecord;

use super::visit::{AppState, refused, visit, way_on as after, with_return};
use crate::frame::Frame;
use crate::{assets, filters};
use service::accounts::{passkeys, session};

const PATH: &str = "/conta/passkeys";

#[derive(Template)]
#[template(path = "account_passkeys.html")]
struct PasskeysPage<'a> {
    frame: Frame<'a>,
    csrf: &'a str,
    script: &'static str,
    passkeys: Vec<PasskeyRecord>,
}

#[derive(Template)]
#[template(path = "passkey_sign_in.html")]
struct SignInPage<'a> {
    frame: Frame<'a>,
    csrf: &'a str,
    script: &'static str,
    way_on: &'a str,
    /// Address of the form for a password.
    password: String,
}

/// The passkeys.
pub(super) async fn show(state: AppState, request: Request) -> Response {
    visit(state.0, request, async |visit| {
        // Adding a passkey needs a fresh proof: reauthenticate before the authenticator is used.
        if let Err(error) = session::fresh(&visit.cx) {
            return refused(&visit, &error, PATH);
        }
        match passkeys::list(&visit.cx).await {
            Ok(passkeys) => {
                let (frame, csrf) = (visit.frame().below(PATH), visit.csrf.as_str());
                visit.page(StatusCode::OK, &PasskeysPage { frame, csrf, script: assets::PASSKEYS_PATH, passkeys })
            }
            Err(error) => refused(&visit, &error, PATH),
        }
    })
    .await
}

/// Removes a passkey.
pub(super) async fn remove(state: AppState, request: Request) -> Response {
    visit(state.0, request, async |visit| {
        if !visit.is_sent {
            return visit.lead(PATH);
        }
        match passkeys::remove(&visit.cx, visit.field("id")).await {
            Ok(()) => visit.lead_after(PATH, "passkey_removed"),
            Err(error) => refused(&visit, &error, PATH),
        }
    })
    .await
}

/// The page that signs in with a passkey.
pub(super) async fn sign_in(state: AppState, request: Request) -> Response {
    visit(state.0, request, async |visit| {
        let way_on = visit.way_in();
        if visit.is_signed_in() {
            return visit.lead(&way_on);
        }
        let (frame, csrf) = (visit.frame(), visit.csrf.as_str());
        let password = visit.in_lang(&with_return("/conta/global", after(visit.field("return_to"))));
        let page = SignInPage { frame, csrf, script: assets::PASSKEYS_PATH, way_on: &way_on, password };
        visit.page(StatusCode::OK, &page)
    })
    .await
}
