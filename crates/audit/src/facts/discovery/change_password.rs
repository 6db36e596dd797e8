//! Probe 4: where a password is changed (W3C, A Well-Known URL for Changing Passwords).

use model::capture::WantKind;
use model::discovery::DiscoveryCheck;
use model::lang::{Text, text};
use url::Url;

use super::answer::Answer;
use super::notes::{ProbeOutcome, pass, quoted, unverified, warn};
use super::site::{ProbedSite, Target};
use crate::facts::document::Document;
use crate::facts::refresh::parse_refresh;

const PATH: &str = "/.well-known/change-password";
const REFERENCE: &str = "https://w3c.github.io/webappsec-change-password-url/";

/// Asked when the page has a field for a password. Nothing is ever submitted.
pub(super) fn target(site: &ProbedSite<'_>) -> Option<Target> {
    let asks_password = site.html.is_some_and(|html| html.asks_password);
    asks_password.then(|| site.file(PATH)).flatten()
}

/// Passes on a temporary redirect to a page of its own, where missing addresses are told from existing ones.
pub(super) fn check(site: &ProbedSite<'_>) -> Option<DiscoveryCheck> {
    let answer = site.answer(WantKind::ChangePassword, target(site)?, REFERENCE);
    Some(answer.check(judge(site, &answer)))
}

const UNRELIABLE: Text = text(
    "{file} answers {status}, but so do missing addresses below /.well-known/, so password managers do not use it.",
    "{file} responde {status}, mas endereços inexistentes em /.well-known/ também, então os gerenciadores de senhas não o usam.",
);
const UNTOLD: Text = text(
    "{file} answers {status}, but it is not known how missing addresses below /.well-known/ answer, and password managers look at that first.",
    "{file} responde {status}, mas não se sabe como respondem endereços inexistentes em /.well-known/, e os gerenciadores de senhas verificam isso antes.",
);

fn judge(site: &ProbedSite<'_>, answer: &Answer<'_>) -> ProbeOutcome {
    const ABSENT: Text = text(
        "{file} answers {status}. It is optional and only useful on a site with accounts: password managers send people there.",
        "{file} responde {status}. É opcional e só é útil em um site com contas: os gerenciadores de senhas levam as pessoas até lá.",
    );
    const REFRESH: Text = text(
        "{file} answers {status} with a page that leads on to {url}.",
        "{file} responde {status} com uma página que leva a {url}.",
    );
    const NO_REFRESH: Text = text(
        "{file} answers {status} with content of its own; it should redirect to the page where a password is changed.",
        "{file} responde {status} com conteúdo próprio; deveria redirecionar para a página onde se troca a senha.",
    );
    if let Some((status, location)) = answer.redirect() {
        return redirect(site, answer, status, location);
    }
    let exchange = answer.response(ABSENT)?;
    let values = [("file", answer.name()), ("status", exchange.status.into())];
    trusted(site, &values)?;
    // A page that leads on is no less one when it was cut behind the element that does.
    let [file, status] = values;
    match refresh_target(&exchange.body.bytes, exchange.header("refresh")) {
        Some(url) => Ok(pass(REFRESH, &[file, status, ("url", quoted(&url))])),
        None => {
            answer.file(ABSENT)?;
            Ok(warn(NO_REFRESH, &[file, status]))
        }
    }
}

/// Where a page leads by itself. The bytes are read as UTF-8: every encoding of the web agrees with it on the markup.
pub(in crate::facts) fn refresh_target(bytes: &[u8], header: Option<&str>) -> Option<String> {
    let document = Document::parse(String::from_utf8_lossy(bytes).into_owned());
    let of_header = header.and_then(|value| parse_refresh(value)?.1);
    of_header.or_else(|| {
        let mut metas = document.elements().filter(|element| {
            element.is("meta")
                && element.attribute("http-equiv").is_some_and(|kind| kind.trim().eq_ignore_ascii_case("refresh"))
        });
        metas.find_map(|meta| parse_refresh(meta.attribute("content")?)?.1)
    })
}

fn redirect(site: &ProbedSite<'_>, answer: &Answer<'_>, status: u16, location: &str) -> ProbeOutcome {
    const LEADS: Text =
        text("{file} leads to {url} with status {status}.", "{file} leva a {url} com o status {status}.");
    const PERMANENT: Text = text(
        "{file} leads to {url} with status {status}, which is permanent; 302, 303 or 307 lets you change the address later.",
        "{file} leva a {url} com o status {status}, que é permanente; 302, 303 ou 307 permitem mudar o endereço depois.",
    );
    const HOME: Text = text(
        "{file} leads to the home page with status {status} instead of the page where a password is changed.",
        "{file} leva à página inicial com o status {status} em vez da página onde se troca a senha.",
    );
    const INSECURE: Text = text(
        "{file} leads with status {status} to \"{url}\", which is not an https address.",
        "{file} leva com o status {status} a \"{url}\", que não é um endereço https.",
    );
    let values = [("file", answer.name()), ("status", status.into()), ("url", quoted(location))];
    let Some(target) = answer.requested.as_ref().and_then(|requested| requested.join(location).ok()) else {
        return Ok(warn(INSECURE, &values));
    };
    if location.is_empty() || target.scheme() != "https" {
        return Ok(warn(INSECURE, &values));
    }
    if is_home(site, &target) {
        return Ok(warn(HOME, &values));
    }
    if matches!(status, 301 | 308) {
        return Ok(warn(PERMANENT, &values));
    }
    let [file, status, url] = values;
    trusted(site, &[file.clone(), status.clone()])?;
    Ok(pass(LEADS, &[file, status, url]))
}

/// The root of the site itself. One with a query or fragment may be the address of a view inside an app.
fn is_home(site: &ProbedSite<'_>, target: &Url) -> bool {
    site.is_own(target) && target.path() == "/" && target.query().is_none() && target.fragment().is_none()
}

/// Fails where password managers would not believe the answer, or it is not known whether they would.
fn trusted(site: &ProbedSite<'_>, values: &[(&str, model::lang::Value)]) -> Result<(), super::notes::Judged> {
    match site.tells_missing_well_known() {
        Some(true) => Ok(()),
        Some(false) => Err(unverified(UNRELIABLE, values)),
        None => Err(unverified(UNTOLD, values)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use model::capture::{BodyCut, Extra, FailureKind};
    use model::discovery::DiscoveryStatus::{self, Info, Pass, Unverified, Warn};

    const FIELD: &str = "<form><input TYPE=' Password '></form>";
    const KIND: WantKind = WantKind::ChangePassword;

    fn check_of(extras: Vec<Extra>, status: DiscoveryStatus, words: &str) {
        expect(&with_site(FIELD, &[], extras, check).unwrap(), status, words);
    }

    #[test]
    fn only_a_password_field_calls_for_it() {
        for (source, called) in [
            (FIELD, true),
            ("", false),
            ("<input type=text name=password>", false),
            ("<template><input type=password></template>", false),
        ] {
            assert_eq!(with_site(source, &[], Vec::new(), |site| target(site).is_some()), called, "{source}");
        }
    }

    #[test]
    fn redirects_are_judged_by_status_and_target() {
        let leads = |status, location| vec![missing_well_known(404), redirecting(KIND, PATH, status, location)];
        for status in [302, 303, 307] {
            check_of(
                leads(status, "/settings/password"),
                Pass,
                "https://example.com/settings/password".get(19..).unwrap(),
            );
        }
        check_of(leads(302, "https://accounts.example.org/"), Pass, "accounts.example.org");
        check_of(leads(302, "/#/password"), Pass, "/#/password");
        check_of(leads(301, "/settings"), Warn, "permanent");
        check_of(leads(308, "/settings"), Warn, "308");
        check_of(leads(302, "/"), Warn, "home page");
        check_of(leads(302, "http://example.com/settings"), Warn, "not an https address");
        check_of(leads(302, "https://["), Warn, "not an https address");
        check_of(leads(302, ""), Warn, "not an https address");
        check_of(vec![missing_well_known(403), redirecting(KIND, PATH, 302, "/a")], Pass, "302");
        check_of(vec![missing_well_known(200), redirecting(KIND, PATH, 302, "/a")], Unverified, "password managers");
        check_of(vec![missing_well_known(500), redirecting(KIND, PATH, 302, "/a")], Unverified, "not known");
        check_of(vec![redirecting(KIND, PATH, 302, "/a")], Unverified, "not known");
    }

    #[test]
    fn pages_are_judged_by_whether_they_lead_on() {
        let page = |body: &str| vec![missing_well_known(404), extra(KIND, PATH, 200, "text/html", body)];
        check_of(page("<meta http-equiv=Refresh content='0; url=/settings'>"), Pass, "leads on to /settings");
        check_of(page("<form><input type=password></form>"), Warn, "content of its own");
        check_of(page("<meta http-equiv=refresh content=5>"), Warn, "content of its own");
        let cut_page = cut(extra(KIND, PATH, 200, "text/html", "<p>x"), BodyCut::Size);
        check_of(vec![missing_well_known(404), cut_page], Unverified, "64 KB");
        let header = with_header(extra(KIND, PATH, 200, "text/html", ""), "refresh", "0;url=/s");
        check_of(vec![missing_well_known(404), header], Pass, "/s");
        check_of(vec![missing_well_known(200), extra(KIND, PATH, 200, "text/html", "")], Unverified, "so do missing");
        check_of(vec![extra(KIND, PATH, 404, "", "")], Info, "only useful on a site with accounts");
        check_of(vec![extra(KIND, PATH, 401, "", "")], Info, "restricted");
        check_of(vec![extra(KIND, PATH, 429, "", "")], Unverified, "429");
        check_of(vec![failed(KIND, PATH, FailureKind::Timeout)], Unverified, "can't be reached");
    }
}
