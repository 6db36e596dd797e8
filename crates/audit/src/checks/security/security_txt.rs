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
        "Reads /.well-known/security.txt by RFC 9116: contacts, date of expiry, media type, place, and what to correct.",
        "Lê /.well-known/security.txt segundo a RFC 9116: contatos, data de expiração, tipo de mídia, lugar e correções.",
    ),
    lead: text(
        "Who finds a weakness in your site looks for security.txt to know whom to write to. An expired or unreadable file sends them to the public instead.",
        "Quem encontra uma falha no seu site procura o security.txt para saber a quem escrever. Um arquivo expirado ou ilegível os leva a falar em público.",
    ),
    example: include_str!("security_txt/bad_expired.http"),
};

const MISSING: Check = Check {
    code: "security_txt_missing",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("No security.txt", "Sem security.txt"),
    why: text(
        "It is optional: it tells people who find a weakness whom to write to, before they write to everybody.",
        "É opcional: diz a quem encontra uma falha para quem escrever, antes que escreva para todos.",
    ),
    how: text(
        "Put a text file at `/.well-known/security.txt` with a contact and a date of expiry less than a year ahead.",
        "Coloque em `/.well-known/security.txt` um arquivo de texto com um contato e uma data de expiração em menos de um ano.",
    ),
    reference: "https://www.rfc-editor.org/rfc/rfc9116#section-3",
    rule: text(
        "Fails when `/.well-known/security.txt` answers 404 or 410 and no such file is at `/security.txt`. Other answers than a file, and a page that missing addresses get too, tell nothing.",
        "Falha quando `/.well-known/security.txt` responde 404 ou 410 e não há um arquivo assim em `/security.txt`. Respostas que não são um arquivo, e uma página que endereços inexistentes também recebem, não dizem nada.",
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
    title: text("security.txt is not valid", "security.txt não é válido"),
    why: text(
        "Whoever follows the standard must not rely on an expired file, and can't use a contact that is no address.",
        "Quem segue o padrão não deve confiar em um arquivo expirado e não consegue usar um contato que não é um endereço.",
    ),
    how: text(
        "Give the file at least one `Contact` with `mailto:` or `https:`, exactly one `Expires` ahead, and send it as text/plain over https.",
        "Dê ao arquivo ao menos um `Contact` com `mailto:` ou `https:`, exatamente um `Expires` futuro, e envie-o como text/plain por https.",
    ),
    reference: "https://www.rfc-editor.org/rfc/rfc9116#section-2.5",
    rule: text(
        "Fails when the file is there and has no `Contact`, one without a scheme, an http address, no readable `Expires`, several, or a past one, several `Preferred-Languages`, another media type than text/plain, or is not on https or only at the old place `/security.txt`. A date more than a year ahead and unknown fields pass. An HTML page in its place is `discovery_file_masked`.",
        "Falha quando o arquivo existe e não tem `Contact`, tem um sem esquema, um endereço http, nenhum `Expires` legível, vários ou um passado, vários `Preferred-Languages`, outro tipo de mídia que não text/plain, ou não está em https ou só no lugar antigo `/security.txt`. Uma data a mais de um ano e campos desconhecidos passam. Uma página HTML no lugar dele é `discovery_file_masked`.",
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
    const NONE: Text = text("{url} answers {status}.", "{url} responde {status}.");
    const FILL: Text = text(
        "Put in an address that somebody reads, with mailto: or https:.",
        "Preencha com um endereço que alguém lê, com mailto: ou https:.",
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
    facts.discovery.as_ref().map(|discovery| &discovery.security).ok_or(NotMeasured::Probe)
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
        "The lines of your file that are right stay. Sign it anew if it was signed; send it as text/plain.",
        "As linhas certas do seu arquivo ficam. Assine-o de novo se era assinado; envie-o como text/plain.",
    );
    let usable_lines = security_txt::usable_lines(&facts.site()?);
    let has_contact = usable_lines.iter().any(|line| line.to_ascii_lowercase().starts_with("contact:"));
    let contact = (!has_contact).then(|| "Contact: {{MAILTO_OR_URL}}".to_owned());
    // Whoever renews the date says that the contacts still hold.
    let confirm = has_contact.then(|| "# {{CONFIRM_THE_CONTACTS}}".to_owned());
    let lines: Vec<String> = confirm.into_iter().chain(usable_lines).chain(contact).chain([expires(facts)]).collect();
    let fix = FixDraft::file_template(security_txt::PATH, lines.join("\n") + "\n").note(FILL, &[]);
    let place = Place { url: check.url.clone(), ..Place::default() };
    let mut found = problem(text("", ""), &[("status", check.http_status.into())], fix).at([place]);
    found.message = check.message.clone();
    found.fail()
}
