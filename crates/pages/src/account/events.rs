//! Names of security events.

use model::lang::{Text, text};

/// Kinds of events, by their names in the API.
const NAMES: [(&str, Text); 41] = [
    ("closed", text("Account closed", "Conta encerrada")),
    ("email_change_asked", text("Email change requested", "Mudança de e-mail solicitada")),
    ("email_change_undone", text("Email change undone", "Mudança de e-mail desfeita")),
    ("email_changed", text("Email address changed", "Endereço de e-mail alterado")),
    ("factor_added", text("Two-factor authentication turned on", "Autenticação em dois fatores ativada")),
    ("factor_removal_begun", text("Two-factor removal requested", "Desativação dos dois fatores solicitada")),
    ("factor_removed", text("Two-factor authentication turned off", "Autenticação em dois fatores desativada")),
    ("guest_claimed", text("Guest data imported", "Dados de visitante importados")),
    ("invitation_accepted", text("Joined an organization", "Entrada em uma organização")),
    ("invitation_ended", text("Invitation cancelled", "Convite cancelado")),
    ("key_made", text("API key created", "Chave de API criada")),
    ("key_revoked", text("API key revoked", "Chave de API revogada")),
    ("member_invited", text("Member invited", "Membro convidado")),
    ("organization_closed", text("Organization deletion requested", "Exclusão de organização solicitada")),
    ("organization_keys_disabled", text("Organization keys turned off", "Chaves da organização desativadas")),
    ("organization_keys_enabled", text("Organization keys turned on", "Chaves da organização ativadas")),
    ("organization_left", text("Left an organization", "Saída de uma organização")),
    ("organization_made", text("Organization created", "Organização criada")),
    ("organization_renamed", text("Organization renamed", "Organização renomeada")),
    ("organization_restored", text("Organization restored", "Organização restaurada")),
    ("passkey_added", text("Passkey added", "Chave de acesso adicionada")),
    ("passkey_removed", text("Passkey removed", "Chave de acesso removida")),
    ("password_changed", text("Password changed", "Senha alterada")),
    ("password_reset", text("Password reset with a link", "Senha redefinida por link")),
    ("proven_again", text("Identity confirmed", "Identidade confirmada")),
    ("recovery_codes_made", text("Recovery codes created", "Códigos de recuperação criados")),
    ("registered", text("Account created", "Conta criada")),
    ("removed_from_organization", text("Removed from an organization", "Remoção de uma organização")),
    ("reset_asked", text("Password reset requested", "Redefinição de senha solicitada")),
    ("reset_begun", text("Password reset started", "Redefinição de senha iniciada")),
    ("restored", text("Account restored", "Conta restaurada")),
    ("role_set_to_admin", text("Role changed to admin", "Papel alterado para administrador")),
    ("role_set_to_member", text("Role changed to member", "Papel alterado para membro")),
    ("role_set_to_owner", text("Role changed to owner", "Papel alterado para proprietário")),
    ("second_factor_not_required", text("Two-factor made optional for members", "Dois fatores opcionais para membros")),
    ("second_factor_required", text("Two-factor required for members", "Dois fatores exigidos dos membros")),
    ("session_ended", text("Session ended", "Sessão encerrada")),
    ("sessions_ended", text("All sessions ended", "Todas as sessões encerradas")),
    ("sign_in_throttled", text("Too many failed sign-ins", "Tentativas de acesso demais")),
    ("signed_in", text("Signed in", "Entrada na conta")),
    ("signed_out", text("Signed out", "Saída da conta")),
];

/// The name of a kind of event for people; `None` for a kind without one.
pub(super) fn name(kind: &str) -> Option<Text> {
    NAMES.iter().find(|(known, _)| *known == kind).map(|(_, name)| *name)
}
