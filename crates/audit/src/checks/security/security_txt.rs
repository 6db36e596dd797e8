//! `security.txt`: contact for vulnerability reports (RFC 9116).

use model::discovery::DiscoveryStatus;
use model::time::DAY_MS;

use crate::check::prelude::*;
use crate::facts::discovery::security_txt;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "security-txt", category: Category::Security, landing: LANDING, checks: &[MISSING, INVALID] };

const LANDING: Landing = Landing {
    title: text("security.txt checker", "Verificador de security.txt"),
    h1: text("Is your security.txt valid?", "Seu security.txt é válido?"),
    description: text(
        "Check /.well-known/security.txt against RFC 9116: contacts, expiry date, media type and location, with the corrections.",
        "Confira /.well-known/security.txt segundo a RFC 9116: contatos, data de expiração, tipo de mídia e lugar, com as correções.",
    ),
    lead: text(
        "People who find a vulnerability look for security.txt to know who to contact. If the file is expired or unreadable, they may publish it without telling you.",
        "Quem encontra uma vulnerabilidade procura o security.txt para saber a quem avisar. Se o arquivo está expirado ou ilegível, pode divulgá-la sem avisar você.",
    ),
    example: include_str!("security_txt/bad_expired.http"),
};

const MISSING: Check = Check {
    code: "security_txt_missing",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("No security.txt", "Sem security.txt"),
    why: text(
        "The file is optional. It tells people who find a vulnerability who to contact before they make it public.",
        "O arquivo é opcional. Ele diz a quem encontra uma vulnerabilidade a quem avisar, antes de torná-la pública.",
    ),
    how: text(
        "Put a text file at `/.well-known/security.txt`, with a contact and an expiry date less than a year ahead.",
        "Coloque em `/.well-known/security.txt` um arquivo de texto com um contato e uma data de expiração dentro de um ano.",
    ),
    reference: "https://www.rfc-editor.org/rfc/rfc9116#section-3",
    rule: text(
        "Fails when `/.well-known/security.txt` answers 404 or 410 and there is no such file at `/security.txt` either. Not measured when the answer is inconclusive: another error, or a page that the site also shows for missing URLs.",
        "Falha quando `/.well-known/security.txt` responde 404 ou 410 e também não há esse arquivo em `/security.txt`. Não é medido quando a resposta é inconclusiva: outro erro ou uma página que o site também mostra para URLs inexistentes.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Template, FixTarget::File),
    since: WHOLE,
    run: missing,
};

const INVALID: Check = Check {
    code: "security_txt_invalid",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Invalid security.txt", "security.txt inválido"),
    why: text(
        "By the standard, nobody should rely on an expired file. A contact that isn't a valid URI is of no use.",
        "Segundo o padrão, ninguém deve confiar em um arquivo expirado. Um contato que não é um URI válido não serve para nada.",
    ),
    how: text(
        "Add at least one `Contact` with `mailto:` or `https:` and exactly one `Expires` in the future. Send the file as text/plain over https.",
        "Inclua ao menos um `Contact` com `mailto:` ou `https:` e exatamente um `Expires` no futuro. Envie o arquivo como text/plain por https.",
    ),
    reference: "https://www.rfc-editor.org/rfc/rfc9116#section-2.5",
    rule: text(
        "Fails when the file exists and has one of these faults: no `Contact`, or one without a scheme; an http URL; no valid `Expires`, several, or one in the past; several `Preferred-Languages`; a media type other than text/plain; not served over https; or only at the old location `/security.txt`. A date more than a year ahead and unknown fields pass. When an HTML page takes its place, `discovery_file_masked` reports it.",
        "Falha quando o arquivo existe e tem um destes defeitos: nenhum `Contact` ou um sem esquema; uma URL http; nenhum `Expires` válido, vários ou um no passado; vários `Preferred-Languages`; um tipo de mídia que não é text/plain; não vem por https; ou só existe no lugar antigo `/security.txt`. Uma data a mais de um ano e campos desconhecidos passam. Quando uma página HTML ocupa o lugar dele, `discovery_file_masked` a aponta.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Template, FixTarget::File),
    since: WHOLE,
    run: invalid,
};

/// Days that a proposed date lies ahead: RFC 9116 §2.5.5 asks for less than a year.
const PROPOSED_DAYS: i64 = 364;

/// Fails when both places say that there is no file.
fn missing(facts: &Facts<'_>) -> Verdict {
    let check = known(facts)?;
    match (check.status, check.http_status) {
        (DiscoveryStatus::Info, 404 | 410) => {}
        (DiscoveryStatus::Unverified, _) | (DiscoveryStatus::Info, 400..) => return Err(NotMeasured::Probe),
        _ => return PASS,
    }
    const NONE: Text =
        text("There is no security.txt: {url} answers {status}.", "Não há security.txt: {url} responde {status}.");
    const FILL: Text = text(
        "Replace `{{MAILTO_OR_URL}}` with a contact that somebody reads, beginning with mailto: or https:.",
        "Troque `{{MAILTO_OR_URL}}` por um contato que alguém lê, começando com mailto: ou https:.",
    );
    let url = check.url.clone().unwrap_or_default();
    let content = format!("Contact: {{{{MAILTO_OR_URL}}}}\n{}\n", expires(facts));
    let fix = FixDraft::file_template(security_txt::PATH, content).note(FILL, &[]);
    let place = Place { url: Some(url.clone()), ..Place::default() };
    problem(NONE, &[("url", url.into()), ("status", check.http_status.into())], fix).at([place]).fail()
}

/// What the probe said, when it is about a file and not about a page in its place.
fn known<'f>(facts: &'f Facts<'_>) -> Result<&'f model::discovery::DiscoveryCheck, NotMeasured> {
    let site = facts.site()?;
    if security_txt::is_page(&site) {
        return Err(NotMeasured::Probe);
    }
    facts.discovery().map(|discovery| &discovery.security).ok_or(NotMeasured::Probe)
}

/// A line with a date that the standard likes.
fn expires(facts: &Facts<'_>) -> String {
    format!("Expires: {}T00:00:00Z", facts.capture.started_at.plus_ms(PROPOSED_DAYS * DAY_MS).day())
}

/// Fails when the file is there and breaks a rule of the standard.
fn invalid(facts: &Facts<'_>) -> Verdict {
    let check = known(facts)?;
    match check.status {
        DiscoveryStatus::Warn => {}
        DiscoveryStatus::Unverified => return Err(NotMeasured::Probe),
        DiscoveryStatus::Info if check.http_status >= 400 => return Err(NotMeasured::Absent),
        DiscoveryStatus::Info | DiscoveryStatus::Pass => return PASS,
    }
    const FILL: Text = text(
        "Replace `{{MAILTO_OR_URL}}` with a contact that somebody reads, beginning with mailto: or https:. The valid lines of your file are kept. If the file was signed, sign it again. Send it as text/plain.",
        "Troque `{{MAILTO_OR_URL}}` por um contato que alguém lê, começando com mailto: ou https:. As linhas válidas do seu arquivo são mantidas. Se o arquivo era assinado, assine-o de novo. Envie-o como text/plain.",
    );
    const RENEW: Text = text(
        "Check that the contacts still work, then remove the line `# {{CONFIRM_THE_CONTACTS}}`. The valid lines of your file are kept. If the file was signed, sign it again. Send it as text/plain.",
        "Confira se os contatos ainda funcionam e remova a linha `# {{CONFIRM_THE_CONTACTS}}`. As linhas válidas do seu arquivo são mantidas. Se o arquivo era assinado, assine-o de novo. Envie-o como text/plain.",
    );
    let usable_lines = security_txt::usable_lines(&facts.site()?);
    let has_contact = usable_lines.iter().any(|line| line.to_ascii_lowercase().starts_with("contact:"));
    let contact = (!has_contact).then(|| "Contact: {{MAILTO_OR_URL}}".to_owned());
    // Whoever renews the date says that the contacts still hold.
    let confirm = has_contact.then(|| "# {{CONFIRM_THE_CONTACTS}}".to_owned());
    let lines: Vec<String> = confirm.into_iter().chain(usable_lines).chain(contact).chain([expires(facts)]).collect();
    let fix = FixDraft::file_template(security_txt::PATH, lines.join("\n") + "\n")
        .note(if has_contact { RENEW } else { FILL }, &[]);
    let place = Place { url: check.url.clone(), ..Place::default() };
    let mut found = problem(text("", ""), &[("status", check.http_status.into())], fix).at([place]);
    found.message = check.message.clone();
    found.fail()
}
