//! Pages of accounts: plain forms that work without a script, each the equivalent of a call below `/api/auth/`.

mod alerts;
mod avatar;
mod claim;
mod entry;
mod events;
mod form;
mod home;
mod keys;
mod organizations;
mod passkeys;
mod security;
mod upload;
mod visit;

use api::site::Site;
use axum::Router;
pub(crate) use visit::return_cookie;

use crate::handler::{get, post};

/// Routes of these pages.
pub(super) fn router() -> Router<Site> {
    Router::new()
        .route("/conta/global", get(entry::sign_in).merge(post(entry::sign_in)))
        .route("/conta/global/factor", get(entry::factor).merge(post(entry::factor)))
        .route("/conta/global/register", get(entry::register).merge(post(entry::register)))
        .route("/conta/global/complete", get(entry::complete).merge(post(entry::complete)))
        .route("/conta/global/reset", get(entry::reset).merge(post(entry::reset)))
        .route("/conta/global/password", get(entry::new_password).merge(post(entry::new_password)))
        .route("/conta/global/email", get(entry::confirm_email).merge(post(entry::confirm_email)))
        .route("/conta/global/undo", get(entry::undo_email).merge(post(entry::undo_email)))
        .route("/conta", get(home::show))
        .route("/conta/profile", get(home::profile).merge(post(home::profile)))
        .route("/conta/avatar", get(avatar::show).merge(post(avatar::show)))
        .route("/conta/avatar/remove", get(avatar::remove).merge(post(avatar::remove)))
        .route(visit::CLAIM_PATH, get(claim::show).merge(post(claim::show)))
        .route("/conta/proof", get(security::proof).merge(post(security::proof)))
        .route("/conta/password", get(security::password).merge(post(security::password)))
        .route("/conta/email", get(security::email).merge(post(security::email)))
        .route("/conta/factor", get(security::factor).merge(post(security::factor)))
        .route("/conta/factor/remove", get(security::remove_factor).merge(post(security::remove_factor)))
        .route("/conta/recovery-codes", get(security::recovery_codes).merge(post(security::recovery_codes)))
        .route("/conta/sessions/end", get(home::end_session).merge(post(home::end_session)))
        .route("/conta/sessions/end-all", get(home::end_all).merge(post(home::end_all)))
        .route("/conta/keys", get(keys::show).merge(post(keys::show)))
        .route("/conta/keys/revoke", get(keys::revoke).merge(post(keys::revoke)))
        .route("/conta/passkey", get(passkeys::sign_in))
        .route("/conta/passkeys", get(passkeys::show))
        .route("/conta/passkeys/remove", get(passkeys::remove).merge(post(passkeys::remove)))
        .route("/conta/organizations", get(organizations::list).merge(post(organizations::list)))
        .route("/conta/organizations/{id}", get(organizations::one).merge(post(organizations::one)))
        .route("/conta/invitation", get(organizations::invitation).merge(post(organizations::invitation)))
        .route("/conta/delete", get(home::delete).merge(post(home::delete)))
        .route("/conta/out", get(home::sign_out).merge(post(home::sign_out)))
}
