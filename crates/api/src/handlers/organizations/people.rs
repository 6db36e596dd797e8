//! Members of organizations, and invitations.

use model::id::{AccountId, InvitationId};
use model::organization::Role;
use model::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::{InvitationRecord, MemberRecord};

use super::answer::{OF_ONE, OneOrganization, Which};
use crate::handlers::auth::Done;
use crate::operation::{Effect, JsonAnswer, Operation};
use service::accounts::organizations;
use service::caller::Cx;
use service::error::{Code, ServiceError};

/// Error codes of decisions about members.
const OF_MEMBERS: &[Code] = &[
    Code::OrganizationNotFound,
    Code::OrganizationMfaRequired,
    Code::OrganizationForbidden,
    Code::MemberNotFound,
    Code::LastOwner,
    Code::ReauthRequired,
];

/// The endpoints of this file.
// Long, as it is a table: an entry for each endpoint.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("/api/auth/organizations/{id}/members", "list_members", members)
            .title("List members", "Listar os membros")
            .doc(
                "Members of one of your organizations, by date of joining; at most 500.",
                "Membros de uma das suas organizações, por data de entrada; no máximo 500.",
            )
            .errors(OF_ONE),
        Operation::patch("/api/auth/organizations/{id}/members/{account_id}", "change_member", set_role)
            .title("Change a member's role", "Mudar o papel de um membro")
            .doc(
                "For owners, in a fresh session. An organization must keep an owner.",
                "Para proprietários, em uma sessão recém-confirmada. Uma organização precisa manter um proprietário.",
            )
            .example(r#"`{"role": "admin"}`"#)
            .errors(OF_MEMBERS),
        Operation::delete("/api/auth/organizations/{id}/members/{account_id}", "remove_member", remove)
            .title("Remove a member", "Remover um membro")
            .doc(
                "Owners can remove anyone, admins can remove members; in a fresh session. Keys of the organization \
                 that the member created are revoked, unless `revoke_keys` is false.",
                "Proprietários podem remover qualquer pessoa, administradores podem remover membros; em uma sessão \
                 recém-confirmada. As chaves da organização que o membro criou são revogadas, a menos que \
                 `revoke_keys` seja false.",
            )
            .errors(OF_MEMBERS),
        Operation::post("/api/auth/organizations/{id}/leave", "leave_organization", leave)
            .title("Leave an organization", "Sair de uma organização")
            .doc(
                "The last owner can't leave. Keys you created stay with the organization.",
                "O último proprietário não pode sair. As chaves que você criou ficam com a organização.",
            )
            .example("`{}`")
            .effect(Effect::Removes)
            .errors(&[Code::OrganizationNotFound, Code::LastOwner]),
        Operation::get("/api/auth/organizations/{id}/invitations", "list_invitations", invitations)
            .title("List open invitations", "Listar os convites abertos")
            .doc(
                "Invitations that are neither accepted, cancelled nor expired; at most 20.",
                "Convites que não foram aceitos nem cancelados e não expiraram; no máximo 20.",
            )
            .errors(OF_ONE),
        Operation::post("/api/auth/organizations/{id}/invitations", "invite_member", invite)
            .title("Invite a member", "Convidar um membro")
            .doc(
                "Emails a link that works once, expires in 7 days, and is for an account with this address. Replaces \
                 an earlier invitation to it. Owners invite to any role, admins to `member`; in a fresh \
                 session.",
                "Envia por e-mail um link que funciona uma vez, expira em 7 dias e vale para uma conta com esse \
                 endereço. Substitui um convite anterior a ele. Proprietários convidam para qualquer papel, \
                 administradores para `member`; em uma sessão recém-confirmada.",
            )
            .example(r#"`{"email": "ana@example.com", "role": "member"}`"#)
            .errors(&[
                Code::InvalidEmail,
                Code::OrganizationNotFound,
                Code::OrganizationMfaRequired,
                Code::OrganizationForbidden,
                Code::OrganizationLimit,
                Code::AlreadyDone,
                Code::ReauthRequired,
                Code::RateLimited,
                Code::MailUnavailable,
            ]),
        Operation::delete("/api/auth/organizations/{id}/invitations/{invitation_id}", "end_invitation", uninvite)
            .title("Cancel an invitation", "Cancelar um convite")
            .doc(
                "Its link stops working. For those who may invite to its role.",
                "O link deixa de funcionar. Para quem pode convidar para esse papel.",
            )
            .errors(&[
                Code::OrganizationNotFound,
                Code::OrganizationMfaRequired,
                Code::OrganizationForbidden,
                Code::InvitationNotFound,
            ]),
        Operation::post("/api/auth/invitations/read", "read_invitation", offered)
            .title("Get an invitation", "Obter um convite")
            .doc(
                "What the emailed link invites to. Needs an account with the invited address. Read-only.",
                "A que organização e com que papel o link enviado por e-mail convida. Exige uma conta com o endereço \
                 convidado. Só leitura.",
            )
            .example(r#"`{"token": "…"}`"#)
            .effect(Effect::Reads)
            .errors(&[Code::InvitationNotFound]),
        Operation::post("/api/auth/invitations/accept", "accept_invitation", accept)
            .title("Accept an invitation", "Aceitar um convite")
            .doc(
                "Makes you a member, if the invitation was sent to your address and its sender may still invite.",
                "Torna você membro, se o convite foi enviado ao seu endereço e quem o enviou ainda pode convidar.",
            )
            .example(r#"`{"token": "…"}`"#)
            .errors(&[Code::InvitationNotFound, Code::AlreadyDone, Code::OrganizationLimit]),
    ]
}

/// A member.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Member")]
struct MemberLine {
    /// Their account.
    account_id: AccountId,
    /// Their address.
    email: String,
    /// Name; may be empty.
    name: String,
    /// What they may do.
    role: Role,
    /// Date of joining.
    created_at: Timestamp,
    /// Active keys of the organization created by this member.
    keys: u32,
}

impl From<MemberRecord> for MemberLine {
    fn from(record: MemberRecord) -> Self {
        Self {
            account_id: record.account,
            email: record.email,
            name: record.name,
            role: record.role,
            created_at: record.created_at,
            keys: record.keys,
        }
    }
}

/// Members.
#[derive(Debug, Serialize, JsonSchema)]
struct MemberList {
    /// By date of joining.
    members: Vec<MemberLine>,
}

/// An open invitation.
#[derive(Debug, Serialize, JsonSchema)]
struct Invitation {
    /// Its id.
    id: InvitationId,
    /// Who is invited.
    email: String,
    /// What they will be.
    role: Role,
    /// When it expires.
    expires_at: Timestamp,
}

impl From<InvitationRecord> for Invitation {
    fn from(record: InvitationRecord) -> Self {
        Self { id: record.id, email: record.email, role: record.role, expires_at: record.expires_at }
    }
}

/// Invitations.
#[derive(Debug, Serialize, JsonSchema)]
struct InvitationList {
    /// Oldest first.
    invitations: Vec<Invitation>,
}

/// One invitation.
#[derive(Debug, Serialize, JsonSchema)]
struct OneInvitation {
    /// All of it.
    invitation: Invitation,
}

/// The organization and the role of an invitation.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Offered")]
struct OfferedMembership {
    /// Name of the organization.
    organization: String,
    /// The invitation.
    invitation: Invitation,
}

/// Which member becomes what.
#[derive(Debug, Deserialize, JsonSchema)]
struct RoleToSet {
    /// The organization.
    #[schemars(extend("x-pt" = "Id da organização."))]
    id: String,
    /// The member.
    #[schemars(extend("x-pt" = "Id da conta do membro."))]
    account_id: String,
    /// What they may do.
    role: Role,
}

/// Which member goes.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "ToRemove")]
struct MemberToRemove {
    /// The organization.
    #[schemars(extend("x-pt" = "Id da organização."))]
    id: String,
    /// The member.
    #[schemars(extend("x-pt" = "Id da conta do membro."))]
    account_id: String,
    /// Revoke the organization's keys that they made; absent: yes.
    #[schemars(extend("x-pt" = "Revogar as chaves da organização que o membro criou; ausente: sim."))]
    #[serde(default)]
    revoke_keys: Option<bool>,
}

/// Who is invited.
#[derive(Debug, Deserialize, JsonSchema)]
struct ToInvite {
    /// The organization.
    #[schemars(extend("x-pt" = "Id da organização."))]
    id: String,
    /// Their address.
    email: String,
    /// What they will be.
    role: Role,
}

/// The invitation.
#[derive(Debug, Deserialize, JsonSchema)]
struct ToEnd {
    /// The organization.
    #[schemars(extend("x-pt" = "Id da organização."))]
    id: String,
    /// The invitation.
    #[schemars(extend("x-pt" = "Id do convite."))]
    invitation_id: String,
}

/// The invitation.
#[derive(Debug, Deserialize, JsonSchema)]
struct ToAccept {
    /// The last part of the link in the mail.
    token: String,
}

async fn members(cx: Cx, input: Which) -> Result<JsonAnswer<MemberList>, ServiceError> {
    let members = organizations::members(&cx, &input.id).await?;
    Ok(JsonAnswer::new(MemberList { members: members.into_iter().map(MemberLine::from).collect() }))
}

async fn set_role(cx: Cx, input: RoleToSet) -> Result<JsonAnswer<Done>, ServiceError> {
    organizations::set_role(&cx, &input.id, &input.account_id, input.role).await?;
    Ok(JsonAnswer::new(Done::OK))
}

async fn remove(cx: Cx, input: MemberToRemove) -> Result<JsonAnswer<Done>, ServiceError> {
    organizations::remove(&cx, &input.id, &input.account_id, input.revoke_keys.unwrap_or(true)).await?;
    Ok(JsonAnswer::new(Done::OK))
}

async fn leave(cx: Cx, input: Which) -> Result<JsonAnswer<Done>, ServiceError> {
    organizations::leave(&cx, &input.id).await?;
    Ok(JsonAnswer::new(Done::OK))
}

async fn invitations(cx: Cx, input: Which) -> Result<JsonAnswer<InvitationList>, ServiceError> {
    let invitations = organizations::invitations(&cx, &input.id).await?;
    Ok(JsonAnswer::new(InvitationList { invitations: invitations.into_iter().map(Invitation::from).collect() }))
}

async fn invite(cx: Cx, input: ToInvite) -> Result<JsonAnswer<OneInvitation>, ServiceError> {
    let invitation = organizations::invite(&cx, &input.id, &input.email, input.role).await?;
    Ok(JsonAnswer::new(OneInvitation { invitation: invitation.into() }))
}

async fn uninvite(cx: Cx, input: ToEnd) -> Result<JsonAnswer<Done>, ServiceError> {
    organizations::uninvite(&cx, &input.id, &input.invitation_id).await?;
    Ok(JsonAnswer::new(Done::OK))
}

async fn offered(cx: Cx, input: ToAccept) -> Result<JsonAnswer<OfferedMembership>, ServiceError> {
    let record = organizations::invitation(&cx, &input.token).await?;
    Ok(JsonAnswer::new(OfferedMembership { organization: record.organization_name.clone(), invitation: record.into() }))
}

async fn accept(cx: Cx, input: ToAccept) -> Result<JsonAnswer<OneOrganization>, ServiceError> {
    Ok(OneOrganization::answer(organizations::accept(&cx, &input.token).await?))
}
