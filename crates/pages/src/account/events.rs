//! Names of security events.

use model::lang::{Text, text};

/// Kinds of events, by their names in the API.
const NAMES: [(&str, Text); 24] = [
    ("closed", text("Account closed", "Conta encerrada")),
    ("email_change_asked", text("Change of the address asked for", "Mudança do endereço pedida")),
    ("email_change_undone", text("Change of the address taken back", "Mudança do endereço desfeita")),
    ("email_changed", text("Address changed", "Endereço mudado")),
    ("factor_added", text("Second factor added", "Segundo fator adicionado")),
    ("factor_removal_begun", text("Removal of the second factor begun", "Remoção do segundo fator iniciada")),
    ("factor_removed", text("Second factor removed", "Segundo fator removido")),
    ("key_made", text("API key made", "Chave de API criada")),
    ("key_revoked", text("API key revoked", "Chave de API revogada")),
    ("passkey_added", text("Passkey added", "Chave de acesso adicionada")),
    ("passkey_removed", text("Passkey removed", "Chave de acesso removida")),
    ("password_changed", text("Password changed", "Senha mudada")),
    ("password_reset", text("New password set by a link", "Nova senha definida por um link")),
    ("proven_again", text("Proved again", "Identidade provada de novo")),
    ("recovery_codes_made", text("New recovery codes made", "Novos códigos de recuperação criados")),
    ("registered", text("Account made", "Conta criada")),
    ("reset_asked", text("Link for a new password asked for", "Link para nova senha pedido")),
    ("reset_begun", text("Reset begun", "Redefinição iniciada")),
    ("restored", text("Account restored", "Conta restaurada")),
    ("session_ended", text("A session ended", "Uma sessão encerrada")),
    ("sessions_ended", text("All sessions ended", "Todas as sessões encerradas")),
    ("sign_in_throttled", text("Too many wrong tries to sign in", "Tentativas erradas demais de entrar")),
    ("signed_in", text("Signed in", "Entrada na conta")),
    ("signed_out", text("Signed out", "Saída da conta")),
];

/// The name of a kind of event for people; `None` for a kind without one.
pub(super) fn name(kind: &str) -> Option<Text> {
    NAMES.iter().find(|(known, _)| *known == kind).map(|(_, name)| *name)
}
