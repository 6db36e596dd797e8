//! Pages of accounts: plain forms that work without a script, each the equivalent of a call below `/api/auth/`.

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
use axum::routing::get;

use crate::assets;

/// Routes of these pages.
pub(super) fn router() -> Router<Site> {
    Router::new()
        .route("/conta/global", get(entry::sign_in).post(entry::sign_in))
        .route("/conta/global/factor", get(entry::factor).post(entry::factor))
        .route("/conta/global/register", get(entry::register).post(entry::register))
        .route("/conta/global/complete", get(entry::complete).post(entry::complete))
        .route("/conta/global/reset", get(entry::reset).post(entry::reset))
        .route("/conta/global/password", get(entry::new_password).post(entry::new_password))
        .route("/conta/global/email", get(entry::confirm_email).post(entry::confirm_email))
        .route("/conta/global/undo", get(entry::undo_email).post(entry::undo_email))
        .route("/conta", get(home::show))
        .route("/conta/profile", get(home::profile).post(home::profile))
        .route("/conta/avatar", get(avatar::show).post(avatar::show))
        .route("/conta/avatar/remove", get(avatar::remove).post(avatar::remove))
        .route(visit::CLAIM_PATH, get(claim::show).post(claim::show))
        .route("/conta/proof", get(security::proof).post(security::proof))
        .route("/conta/password", get(security::password).post(security::password))
        .route("/conta/email", get(security::email).post(security::email))
        .route("/conta/factor", get(security::factor).post(security::factor))
        .route("/conta/factor/remove", get(security::remove_factor).post(security::remove_factor))
        .route("/conta/recovery-codes", get(security::recovery_codes).post(security::recovery_codes))
        .route("/conta/sessions/end", get(home::end_session).post(home::end_session))
        .route("/conta/sessions/end-all", get(home::end_all).post(home::end_all))
        .route("/conta/keys", get(keys::show).post(keys::show))
        .route("/conta/keys/revoke", get(keys::revoke).post(keys::revoke))
        .route("/conta/passkey", get(passkeys::sign_in))
        .route("/conta/passkeys", get(passkeys::show))
        .route("/conta/passkeys/remove", get(passkeys::remove).post(passkeys::remove))
        .route("/conta/organizations", get(organizations::list).post(organizations::list))
        .route("/conta/organizations/{id}", get(organizations::one).post(organizations::one))
        .route("/conta/invitation", get(organizations::invitation).post(organizations::invitation))
        .route("/conta/delete", get(home::delete).post(home::delete))
        .route(assets::PASSKEYS_PATH, get(assets::passkeys))
        .route("/conta/out", get(home::sign_out).post(home::sign_out))
}
