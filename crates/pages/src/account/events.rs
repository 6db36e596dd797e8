//! Names of security events.

use model::lang::{Text, text};

/// Kinds of events, by their names in the API.
const NAMES: [(&str, Text); 24] = [
    ("closed", text("Account closed", "Conta encerrada")),
    ("email_change_asked", text("Email change requested", "Mudança de e-mail pedida")),
    ("email_change_undone", text("Email change undone", "Mudança de e-mail desfeita")),
    ("email_changed", text("Email address changed", "Endereço de e-mail alterado")),
    ("factor_added", text("Two-factor authentication turned on", "Autenticação em dois fatores ativada")),
    (
        "factor_removal_begun",
        text(
            "Operator started to turn off two-factor authentication",
            "Operador iniciou a desativação da autenticação em dois fatores",
        ),
    ),
    ("factor_removed", text("Two-factor authentication turned off", "Autenticação em dois fatores desativada")),
    ("key_made", text("API key created", "Chave de API criada")),
    ("key_revoked", text("API key revoked", "Chave de API revogada")),
    ("passkey_added", text("Passkey added", "Chave de acesso adicionada")),
    ("passkey_removed", text("Passkey removed", "Chave de acesso removida")),
    ("password_changed", text("Password changed", "Senha alterada")),
    ("password_reset", text("Password reset by email link", "Senha redefinida por link de e-mail")),
    ("proven_again", text("Identity confirmed", "Identidade confirmada")),
    ("recovery_codes_made", text("Recovery codes replaced", "Códigos de recuperação substituídos")),
    ("registered", text("Account created", "Conta criada")),
    ("reset_asked", text("Password reset requested", "Redefinição de senha pedida")),
    ("reset_begun", text("Operator started a password reset", "Operador iniciou uma redefinição de senha")),
    ("restored", text("Account restored", "Conta restaurada")),
    ("session_ended", text("Session ended", "Sessão encerrada")),
    ("sessions_ended", text("All sessions ended", "Todas as sessões foram encerradas")),
    ("sign_in_throttled", text("Too many failed sign-in attempts", "Tentativas de acesso falhas demais")),
    ("signed_in", text("Signed in", "Login")),
    ("signed_out", text("Signed out", "Logout")),
];

/// The name of a kind of event for people; `None` for a kind without one.
pub(super) fn name(kind: &str) -> Option<Text> {
    NAMES.iter().find(|(known, _)| *known == kind).map(|(_, name)| *name)
}
