//! A token that proves possession of a user's private key: a JSON Web Token, signed with RSA and SHA-256.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::digest::{SHA256, digest};
use ring::rand::SystemRandom;
use ring::rsa::KeyPair as RsaKeyPair;
use ring::signature::{KeyPair as _, RSA_PKCS1_SHA256};
use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::pem::PemObject;
use serde_json::json;
use spki::der::Encode as _;
use spki::der::asn1::{AnyRef, BitStringRef};
use spki::{AlgorithmIdentifierRef, ObjectIdentifier, SubjectPublicKeyInfoRef};

/// How long a token is valid; Snowflake allows an hour.
const LIFETIME: Duration = Duration::from_secs(59 * 60);

/// How far this machine's clock may be ahead.
const SKEW: Duration = Duration::from_secs(30);

/// The identifier of RSA in a public key (RFC 3279, 2.3.1).
const RSA_ENCRYPTION: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.1");

/// A private key and its public key.
pub struct KeyPair(RsaKeyPair);

/// The bearer token for the header `Authorization`.
pub struct Token {
    pub(crate) text: String,
    /// Whether refdesk signed the token. Snowflake detects the type of other tokens itself.
    pub(crate) is_signed_here: bool,
}

impl KeyPair {
    /// Parses a private key as PEM, PKCS#8 or PKCS#1, without a passphrase.
    ///
    /// # Errors
    /// A sentence about why the text is not such a key, without quoting it.
    pub fn of_pem(pem: &str) -> Result<Self, String> {
        if pem.contains("-----BEGIN ENCRYPTED PRIVATE KEY-----") || pem.contains("Proc-Type: 4,ENCRYPTED") {
            return Err("the private key has a passphrase; use a key without a passphrase".to_owned());
        }
        let key = PrivateKeyDer::from_pem_slice(pem.as_bytes()).map_err(|_| "the private key is not PEM".to_owned())?;
        let pair = match &key {
            PrivateKeyDer::Pkcs8(key) => RsaKeyPair::from_pkcs8(key.secret_pkcs8_der()),
            PrivateKeyDer::Pkcs1(key) => RsaKeyPair::from_der(key.secret_pkcs1_der()),
            _ => return Err("the private key is not an RSA key".to_owned()),
        };
        pair.map(Self).map_err(|why| format!("the private key cannot be used ({why})"))
    }

    /// The public key as PKCS#1.
    #[cfg(feature = "testing")]
    pub(crate) fn public_key(&self) -> Vec<u8> {
        self.0.public_key().as_ref().to_vec()
    }

    /// The hash of the public key, as Snowflake shows it for a user.
    fn fingerprint(&self) -> Result<String, spki::der::Error> {
        let key = SubjectPublicKeyInfoRef {
            algorithm: AlgorithmIdentifierRef { oid: RSA_ENCRYPTION, parameters: Some(AnyRef::NULL) },
            subject_public_key: BitStringRef::from_bytes(self.0.public_key().as_ref())?,
        };
        Ok(format!("SHA256:{}", STANDARD.encode(digest(&SHA256, &key.to_der()?))))
    }
}

impl Token {
    /// A token issued by Snowflake.
    pub fn from_text(text: &str) -> Self {
        Self { text: text.to_owned(), is_signed_here: false }
    }

    /// A token for this user, valid for just under an hour.
    ///
    /// # Errors
    /// The key cannot sign.
    pub fn signed(pair: &KeyPair, account: &str, user: &str) -> Result<Self, String> {
        let subject = format!("{}.{}", locator(account), user.to_uppercase());
        let fingerprint = pair.fingerprint().map_err(|error| format!("the public key cannot be written ({error})"))?;
        let issued = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().saturating_sub(SKEW).as_secs();
        let claims = json!({
            "iss": format!("{subject}.{fingerprint}"),
            "sub": subject,
            "iat": issued,
            "exp": issued + LIFETIME.as_secs(),
        });
        let part = |value: &serde_json::Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let message = format!("{}.{}", part(&json!({"alg": "RS256", "typ": "JWT"})), part(&claims));
        let mut signature = vec![0; pair.0.public().modulus_len()];
        pair.0
            .sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), message.as_bytes(), &mut signature)
            .map_err(|_| "the private key cannot sign".to_owned())?;
        let text = format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature));
        Ok(Self { text, is_signed_here: true })
    }
}

/// The account name in tokens: in capitals, without domain, region and cloud.
fn locator(account: &str) -> String {
    let account = account.to_uppercase();
    if account.contains(".GLOBAL") {
        return account.split('-').next().unwrap_or_default().to_owned();
    }
    account.split('.').next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_in_a_token() {
        for (account, expected) in [
            ("acme-main", "ACME-MAIN"),
            ("xy12345.eu-west-1.aws", "XY12345"),
            ("xy12345-abc.global", "XY12345"),
            ("acme-main.snowflakecomputing.com", "ACME-MAIN"),
        ] {
            assert_eq!(locator(account), expected, "{account}");
        }
    }

    #[test]
    fn invalid_keys_are_reported_without_their_content() {
        for (pem, words) in [
            ("-----BEGIN ENCRYPTED PRIVATE KEY-----\nc2VjcmV0\n-----END ENCRYPTED PRIVATE KEY-----", "passphrase"),
            ("-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----", "cannot be used"),
            ("-----BEGIN PRIVATE KEY-----\nsecret", "not PEM"),
        ] {
            let Err(why) = KeyPair::of_pem(pem) else { panic!("{pem}") };
            assert!(!why.contains("c2VjcmV0") && !why.contains("secret"), "{why}");
            assert!(why.contains(words) || why.contains("can be used"), "{why}");
        }
    }
}
