//! Credentials in a request: where they stand, which kind they are.

use http::HeaderMap;
use http::header::AUTHORIZATION;
use model::lang::{Text, text};
use service::credential::TokenKind;
use service::error::{Code, ServiceError};

/// Credentials of headers and query: at most one of each kind, well-formed, not yet looked up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SentCredentials {
    /// A guest token.
    pub guest: Option<String>,
    /// An API key.
    pub key: Option<String>,
    /// A credit token: it pays, and identifies nobody.
    pub credit: Option<String>,
    /// A bearer token without a prefix of ours: the operator's, or invalid.
    pub operator: Option<String>,
    /// Whether `Authorization` has another scheme than Bearer.
    pub is_of_other_scheme: bool,
}

impl SentCredentials {
    /// Refuses another scheme of `Authorization` beside a token of ours: its sender takes both for good. Alone it may be for a proxy,
    /// and so it may beside cookies, as browsers repeat the password of a proxy by themselves.
    pub(super) fn refuse_other_scheme(&self) -> Result<(), ServiceError> {
        let has_token = self.guest.is_some() || self.key.is_some() || self.credit.is_some();
        if self.is_of_other_scheme && has_token { Err(ServiceError::new(Code::InvalidCredential)) } else { Ok(()) }
    }
}

/// The credentials of headers and query. Several ways to send one must agree.
pub(crate) fn sent(headers: &HeaderMap, query_token: Option<&str>) -> Result<SentCredentials, ServiceError> {
    let of = |name: &str| header_text(headers, name).map(|text| text.map(str::to_owned));
    let mut sent = SentCredentials {
        guest: agreed(TokenKind::Guest, [of("x-guest-token")?, query_token.map(str::to_owned)])?,
        key: agreed(TokenKind::Key, [of("x-api-key")?, None])?,
        credit: agreed(TokenKind::Credit, [of("x-credito")?, None])?,
        ..SentCredentials::default()
    };
    let Some((scheme, token)) = authorization(headers)? else { return Ok(sent) };
    if !scheme.eq_ignore_ascii_case("bearer") {
        sent.is_of_other_scheme = true;
        return Ok(sent);
    }
    match TokenKind::of(token) {
        Some(kind) => {
            let place = match kind {
                TokenKind::Guest => &mut sent.guest,
                TokenKind::Key => &mut sent.key,
                TokenKind::Credit => &mut sent.credit,
            };
            *place = agreed(kind, [place.take(), Some(token.to_owned())])?;
        }
        None if token.is_empty() => return Err(ServiceError::new(Code::InvalidCredential)),
        None => sent.operator = Some(token.to_owned()),
    }
    Ok(sent)
}

/// The guest token of the headers and of the body, which must agree.
pub(crate) fn guest_token(sent: Option<String>, body_token: Option<&str>) -> Result<Option<String>, ServiceError> {
    agreed(TokenKind::Guest, [sent, body_token.map(str::to_owned)])
}

fn agreed(kind: TokenKind, tokens: [Option<String>; 2]) -> Result<Option<String>, ServiceError> {
    let mut known: Option<String> = None;
    for token in tokens.into_iter().flatten() {
        match &known {
            Some(known) if *known != token => {
                const TWO: Text =
                    text("{name}: two different values were sent", "{name}: foram enviados dois valores diferentes");
                let name = match kind {
                    TokenKind::Guest => "guest_token",
                    TokenKind::Key => "X-Api-Key",
                    TokenKind::Credit => "X-Credito",
                };
                return Err(ServiceError::new(Code::InvalidParameter).explained(TWO.phrase(&[("name", name.into())])));
            }
            _ => known = Some(token),
        }
    }
    match known {
        Some(token) if !kind.fits(&token) => Err(ServiceError::new(kind.unknown())),
        known => Ok(known),
    }
}

/// Scheme and token of `Authorization`.
fn authorization(headers: &HeaderMap) -> Result<Option<(&str, &str)>, ServiceError> {
    let Some(text) = header_text(headers, AUTHORIZATION.as_str())? else { return Ok(None) };
    let (scheme, token) = text.split_once([' ', '\t']).unwrap_or((text, ""));
    Ok(Some((scheme, token.trim())))
}

/// The one value of a header.
fn header_text<'h>(headers: &'h HeaderMap, name: &str) -> Result<Option<&'h str>, ServiceError> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        const AGAIN: Text =
            text("{name}: the header was sent more than once", "{name}: o cabeçalho foi enviado mais de uma vez");
        return Err(ServiceError::new(Code::InvalidParameter).explained(AGAIN.phrase(&[("name", name.into())])));
    }
    let text = value.to_str().map_err(|_| ServiceError::new(Code::InvalidCredential))?;
    Ok(Some(text.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(list: &[(&'static str, &str)]) -> HeaderMap {
        list.iter().map(|(name, value)| (name.parse::<http::HeaderName>().unwrap(), value.parse().unwrap())).collect()
    }

    #[test]
    fn a_token_is_taken_from_each_place_and_must_agree() {
        let (token, other) = (TokenKind::Guest.token([1; 32]), TokenKind::Guest.token([2; 32]));
        let bearer = format!("Bearer {token}");
        let guest = Ok(SentCredentials { guest: Some(token.clone()), ..SentCredentials::default() });
        let sent = |list: &[(&'static str, &str)], query: Option<&str>| {
            super::sent(&headers(list), query).map_err(|error| error.code)
        };
        assert_eq!(sent(&[], None), Ok(SentCredentials::default()));
        assert_eq!(sent(&[("x-guest-token", &token)], None), guest);
        assert_eq!(sent(&[("authorization", &bearer)], Some(&token)), guest);
        assert_eq!(sent(&[], Some(&token)), guest);
        assert_eq!(sent(&[("authorization", &bearer)], Some(&other)), Err(Code::InvalidParameter));
        let no_bearer = SentCredentials { is_of_other_scheme: true, ..SentCredentials::default() };
        assert_eq!(sent(&[("authorization", "Basic eDp5")], None), Ok(no_bearer.clone()));
        assert_eq!(sent(&[("authorization", "Bearers")], None), Ok(no_bearer));
        for (header, text, code) in [
            ("authorization", "Bearer pa_x", Code::GuestTokenInvalid),
            ("authorization", "Bearer mmk_x", Code::InvalidApiKey),
            ("authorization", "Bearer cred_x", Code::InvalidCredential),
            ("authorization", "Bearer", Code::InvalidCredential),
            ("authorization", "bearer ", Code::InvalidCredential),
            ("x-api-key", "mmk_x", Code::InvalidApiKey),
            ("x-api-key", &token, Code::InvalidApiKey),
            ("x-credito", "cred_x", Code::InvalidCredential),
            ("x-guest-token", "pa_short", Code::GuestTokenInvalid),
        ] {
            assert_eq!(sent(&[(header, text)], None), Err(code), "{header}: {text}");
        }
        let both = guest_token(Some(token), Some(&other)).map_err(|error| error.code);
        assert_eq!(both, Err(Code::InvalidParameter));
        assert_eq!(guest_token(None, Some(&other)).unwrap(), Some(other));
    }

    #[test]
    fn another_scheme_stands_alone() {
        let guest = TokenKind::Guest.token([1; 32]);
        let judged = |list: &[(&'static str, &str)], query: Option<&str>| {
            super::sent(&headers(list), query).unwrap().refuse_other_scheme().map_err(|error| error.code)
        };
        let basic = ("authorization", "Basic eDp5");
        assert_eq!(judged(&[basic], None), Ok(()));
        assert_eq!(judged(&[basic, ("x-guest-token", &guest)], None), Err(Code::InvalidCredential));
        assert_eq!(judged(&[basic], Some(&guest)), Err(Code::InvalidCredential));
    }

    #[test]
    fn a_prefix_says_what_a_bearer_token_is() {
        let tokens = TokenKind::ALL.map(|kind| kind.token([3; 32]));
        let of = |token: &str| super::sent(&headers(&[("authorization", &format!("bearer\t{token}"))]), None).unwrap();
        let [guest, key, credit] = tokens.clone();
        assert_eq!(of(&guest), SentCredentials { guest: Some(guest.clone()), ..SentCredentials::default() });
        assert_eq!(of(&key), SentCredentials { key: Some(key.clone()), ..SentCredentials::default() });
        assert_eq!(of(&credit), SentCredentials { credit: Some(credit.clone()), ..SentCredentials::default() });
        assert_eq!(of("other"), SentCredentials { operator: Some("other".to_owned()), ..SentCredentials::default() });
        // A key beside a credit that pays.
        let both = super::sent(&headers(&[("x-api-key", &key), ("x-credito", &credit)]), None).unwrap();
        assert_eq!(both, SentCredentials { key: Some(key), credit: Some(credit), ..SentCredentials::default() });
    }
}
