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
        "Check the TLS certificate of a page, and get a warning when it expires soon and should have been renewed.",
        "Confira o certificado TLS de uma página e receba um aviso quando ele expira em breve e já deveria ter sido renovado.",
    ),
    lead: text(
        "When a certificate expires, browsers show a warning instead of the site, and crawlers get nothing. Automatic renewal can fail without any notice.",
        "Quando um certificado expira, os navegadores mostram um alerta no lugar do site, e os robôs não recebem nada. A renovação automática pode falhar sem aviso.",
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
    title: text("TLS certificate expires soon", "Certificado TLS expira em breve"),
    why: text(
        "Once the certificate expires, browsers show a warning instead of the site, and crawlers can't fetch it.",
        "Quando o certificado expira, os navegadores mostram um alerta no lugar do site, e os robôs não conseguem buscá-lo.",
    ),
    how: text(
        "Renew the certificate, and find out why automatic renewal didn't run.",
        "Renove o certificado e descubra por que a renovação automática não rodou.",
    ),
    reference: "https://www.rfc-editor.org/rfc/rfc5280#section-4.1.2.5",
    rule: text(
        "Fails when the certificate of the final https response expires within 14 days of the audit and less than a third of its lifetime is left. A six-day certificate with three days left is not late, because it is renewed often. An expired certificate is reported by `page_unreachable`.",
        "Falha quando o certificado da resposta https final expira em até 14 dias da auditoria e resta menos de um terço do prazo total. Um certificado de seis dias com três restantes não está atrasado, porque é renovado com frequência. Um certificado expirado é apontado por `page_unreachable`.",
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
        "The TLS certificate expires in {days} {days|day|days}, on {date}.",
        "O certificado TLS expira em {days} {days|dia|dias}, em {date}.",
    );
    const ENDS_NOW: Text = text(
        "The TLS certificate expires within 24 hours, on {date}.",
        "O certificado TLS expira em menos de 24 horas, em {date}.",
    );
    const RENEW: Text = text(
        "Renew the certificate of {host} (issuer: {issuer}) by {date}, and find out why automatic renewal didn't run.",
        "Renove o certificado de {host} (emissor: {issuer}) até {date} e descubra por que a renovação automática não rodou.",
    );
    let date = certificate.not_after.day().to_string();
    let days = left.max(0) / DAY_MS;
    let host = facts.url()?.host_str().unwrap_or_default();
    let issuer = certificate.issuer.as_str();
    let values = [("host", host.into()), ("issuer", issuer.into()), ("date", date.as_str().into())];
    let fix = FixDraft::instruction(FixTarget::Page, RENEW, &values);
    let message = if days == 0 { ENDS_NOW } else { ENDS };
    problem(message, &[("date", date.as_str().into()), ("days", days.into()), ("issuer", issuer.into())], fix).fail()
}
