//! How long the certificate of the page still holds.

use model::time::DAY_MS;

use crate::check::prelude::*;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "ssl-certificate", category: Category::Security, landing: LANDING, checks: &[EXPIRING] };

const LANDING: Landing = Landing {
    title: text("SSL certificate expiry checker", "Verificador de validade do certificado SSL"),
    h1: text("When does your certificate expire?", "Quando seu certificado expira?"),
    description: text(
        "Reads the certificate that a page is served with and warns when it expires soon and was not renewed in time.",
        "Lê o certificado com que uma página é servida e avisa quando ele expira em breve e não foi renovado a tempo.",
    ),
    lead: text(
        "On the day a certificate expires, browsers show a warning in place of the site and crawlers get nothing. Renewal that runs by itself fails without a sound.",
        "No dia em que um certificado expira, os navegadores mostram um alerta no lugar do site e os robôs não recebem nada. A renovação automática falha em silêncio.",
    ),
    example: include_str!("tls_certificate/bad.http"),
};

/// Days before the end from which on it is late.
const LATE_DAYS: i64 = 14;
/// Of its whole time a certificate is due for renewal when this share is left: a third (Let's Encrypt, integration guide).
/// Certificates of some days would otherwise be late all their life.
const DUE_SHARE: i64 = 3;

const EXPIRING: Check = Check {
    code: "tls_certificate_expiring",
    severity: Severity::Warn,
    impact: Impact::Use,
    title: text("Certificate about to expire", "Certificado prestes a expirar"),
    why: text(
        "From that day on browsers show a warning instead of the site, and crawlers can't fetch it.",
        "A partir desse dia os navegadores mostram um alerta no lugar do site, e os robôs não conseguem buscá-lo.",
    ),
    how: text(
        "Renew the certificate, and find out why it was not renewed by itself.",
        "Renove o certificado e descubra por que a renovação automática não aconteceu.",
    ),
    reference: "https://www.rfc-editor.org/rfc/rfc5280#section-4.1.2.5",
    rule: text(
        "Fails when the certificate of the final https response ends within 14 days of the audit, and less than a third of its whole time is left: a certificate of six days is renewed often and is not late with three. An expired one is `page_unreachable`.",
        "Falha quando o certificado da resposta https final termina dentro de 14 dias da auditoria e resta menos de um terço do seu prazo total: um certificado de seis dias é renovado com frequência e não está atrasado com três. Um expirado é `page_unreachable`.",
    ),
    thresholds: &[threshold("days_left", LATE_DAYS as u64, "days")],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: WHOLE,
    run: expiring,
};

/// Fails when the certificate ends within two weeks and should have been renewed.
fn expiring(facts: &Facts<'_>) -> Verdict {
    let exchange = facts.measured_response()?;
    facts.https()?;
    let certificate = exchange.certificate.as_ref().ok_or(NotMeasured::Fetch)?;
    let left = certificate.not_after.0.saturating_sub(facts.capture.started_at.0);
    let whole = certificate.not_before.map(|start| certificate.not_after.0.saturating_sub(start.0));
    let is_due = whole.is_none_or(|whole| left.saturating_mul(DUE_SHARE) < whole);
    if left > LATE_DAYS * DAY_MS || !is_due {
        return PASS;
    }
    const ENDS: Text = text(
        "The certificate expires on {date}, in {days} {days|day|days}.",
        "O certificado expira em {date}, daqui a {days} {days|dia|dias}.",
    );
    const RENEW: Text = text(
        "Renew the certificate of {host} at {issuer} before {date}, and look at why the renewal did not run.",
        "Renove o certificado de {host} em {issuer} antes de {date} e veja por que a renovação não rodou.",
    );
    let date = certificate.not_after.day().to_string();
    let days = left.max(0) / DAY_MS;
    let host = facts.url()?.host_str().unwrap_or_default();
    let issuer = certificate.issuer.as_str();
    let values = [("host", host.into()), ("issuer", issuer.into()), ("date", date.as_str().into())];
    let fix = FixDraft::instruction(FixTarget::Page, RENEW, &values);
    problem(ENDS, &[("date", date.as_str().into()), ("days", days.into()), ("issuer", issuer.into())], fix).fail()
}
