//! The headers of a webhook request: those from the configuration, and a bearer token and a signature, whose secrets
//! come from environment variables. Secrets are never printed.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use ureq::http::header::{AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, HOST, TRANSFER_ENCODING};
use ureq::http::{HeaderName, HeaderValue};

use super::super::NoAnswer;
use super::super::answer::shown;
use refdesk_core::config::{ChannelSettings, Environment};
use refdesk_files::name::hex;
use refdesk_text::Code;

pub(super) const SIGNATURE: HeaderName = HeaderName::from_static("x-refdesk-signature");

/// The key that signs bodies.
#[derive(Clone)]
pub(super) struct Secret(Vec<u8>);

impl fmt::Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("…")
    }
}

impl Secret {
    /// Reads the secret from this environment variable.
    pub(crate) fn of(name: &str, environment: Environment) -> Result<Self, NoAnswer> {
        Ok(Self(variable(name, "secret_env", environment)?.into_bytes()))
    }

    /// `sha256=` and the HMAC-SHA256 of a body in lower-case hexadecimal. Never `None`, since HMAC accepts a key of any
    /// length.
    pub(crate) fn sign(&self, body: &[u8]) -> Option<String> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).ok()?;
        mac.update(body);
        Some(format!("sha256={}", hex(&mac.finalize().into_bytes())))
    }
}

/// The configured headers and the bearer token, sent with every request.
pub(super) fn headers(
    settings: &ChannelSettings,
    environment: Environment,
) -> Result<Vec<(HeaderName, HeaderValue)>, NoAnswer> {
    let wrong = |message: String| NoAnswer::failed(Code::WrongHeader, message, "fix channel.headers");
    let mut headers = Vec::new();
    for (name, value) in &settings.headers {
        let printable = shown(name);
        let name =
            HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong(format!("'{printable}' is not a header")))?;
        let is_token = name == AUTHORIZATION && settings.auth_token_env.is_some();
        if is_token || [HOST, CONTENT_LENGTH, CONTENT_TYPE, TRANSFER_ENCODING, SIGNATURE].contains(&name) {
            return Err(wrong(format!("the header '{printable}' is set by refdesk itself")));
        }
        let mut value = HeaderValue::from_str(value)
            .map_err(|_| wrong(format!("the header '{printable}' contains invalid characters")))?;
        value.set_sensitive(true);
        headers.push((name, value));
    }
    if let Some(name) = &settings.auth_token_env {
        let token = variable(name, "auth_token_env", environment)?;
        let mut value = HeaderValue::from_str(&format!("Bearer {}", token.trim())).map_err(|_| {
            let message =
                format!("the environment variable '{}' contains characters that a header may not have", shown(name));
            NoAnswer::failed(Code::NoVariable, message, "set it to the token only")
        })?;
        value.set_sensitive(true);
        headers.push((AUTHORIZATION, value));
    }
    Ok(headers)
}

fn variable(name: &str, key: &str, environment: Environment) -> Result<String, NoAnswer> {
    environment.get(name).filter(|value| !value.trim().is_empty()).ok_or_else(|| {
        let message = format!("channel.{key} names the environment variable '{}', which is not set", shown(name));
        NoAnswer::failed(Code::NoVariable, message, "set it in the environment of refdesk")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use refdesk_text::Error;

    const HELD: Environment = Environment(|name| match name {
        "TOKEN" => Some(" hush \n".to_owned()),
        "BROKEN" => Some("hush\nhush".to_owned()),
        "EMPTY" => Some(" ".to_owned()),
        _ => None,
    });

    /// RFC 4231, test case 2.
    #[test]
    fn a_body_is_signed_as_the_specification_says() {
        assert_eq!(
            Secret(b"Jefe".to_vec()).sign(b"what do ya want for nothing?").unwrap(),
            "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
    }

    #[test]
    fn invalid_settings_are_named_but_not_shown() {
        let with = |headers: &[(&str, &str)], token: Option<&str>| {
            let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            let settings =
                ChannelSettings { headers, auth_token_env: token.map(str::to_owned), ..ChannelSettings::default() };
            super::headers(&settings, HELD)
        };
        let fine = with(&[("X-Key", "hush")], Some("TOKEN")).unwrap();
        assert_eq!(fine.len(), 2);
        assert_eq!(fine[1].1, "Bearer hush");
        assert!(!format!("{fine:?} {:?}", Secret::of("TOKEN", HELD)).contains("hush"));
        for (headers, token, named) in [
            (&[][..], Some("NONE"), "'NONE', which is not set"),
            (&[], Some("EMPTY"), "'EMPTY', which is not set"),
            (&[], Some("BROKEN"), "'BROKEN' contains"),
            (&[("Host", "x")], None, "'Host' is set by"),
            (&[("content-length", "0")], None, "'content-length' is set by"),
            (&[("Authorization", "hush")], Some("TOKEN"), "'Authorization' is set by"),
            (&[("X Key", "hush")], None, "'X Key' is not a header"),
            (&[("X-Key", "hush\r\nX: y")], None, "'X-Key' contains"),
        ] {
            let Err(NoAnswer::Failed(Error { message, .. })) = with(headers, token) else { panic!("{named}") };
            assert!(message.contains(named) && !message.contains("hush"), "{message}");
        }
        let Err(NoAnswer::Failed(Error { message, .. })) = Secret::of("NONE", HELD) else { panic!() };
        assert!(message.contains("'NONE'") && message.contains("secret_env"), "{message}");
    }
}
