//! Typed values as saved in the session. Templates cannot mark secrets, so a value is never saved if a name on its path
//! or within it suggests a secret, or if it looks like a key.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

use crate::common::values::{TypedValue, TypedValues, ValueStep, json};
use refdesk_core::config::screen_session::{SavedStep, SavedValue, SavedValues};

/// Substrings of secret names, in lower case and without separators.
const SECRET: [&str; 26] = [
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "credential",
    "apikey",
    "privatekey",
    "accesskey",
    "signingkey",
    "authorization",
    "passwort",
    "kennwort",
    "motdepasse",
    "contrasena",
    "contraseña",
    "senha",
    "bearer",
    "cookie",
    "connectionstring",
    "databaseurl",
    "webhook",
    "sessionid",
    "signature",
    "sshkey",
    "licensekey",
];

/// Words that suggest a secret only as whole words.
const SECRET_WORDS: [&str; 13] =
    ["pin", "pwd", "pass", "auth", "cred", "creds", "jwt", "otp", "pat", "tok", "dsn", "salt", "iban"];

/// Common prefixes of keys.
const KEYS: [&str; 9] = ["-----BEGIN", "eyJ", "ghp_", "gho_", "github_pat_", "glpat-", "sk-", "sk_live_", "xox"];

/// The values to save, by template name.
pub fn all_saved(typed: &HashMap<String, TypedValues>) -> BTreeMap<String, SavedValues> {
    let saved = typed.iter().map(|(template, typed)| (template.clone(), typed.saved()));
    saved.filter(|(_, saved)| !saved.given.is_empty()).collect()
}

/// The reverse of [`all_saved`].
pub fn all_typed(saved: BTreeMap<String, SavedValues>) -> HashMap<String, TypedValues> {
    saved.into_iter().map(|(template, saved)| (template, TypedValues::from_saved(saved))).collect()
}

pub fn is_secret(name: &str) -> bool {
    let letters: String = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    SECRET.iter().any(|word| letters.contains(word)) || words(name).any(|word| SECRET_WORDS.contains(&word.as_str()))
}

/// The words of `snake_case` and `camelCase`, in lower case.
fn words(name: &str) -> impl Iterator<Item = String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (was_lower && c.is_uppercase()) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase();
    }
    words.into_iter()
}

/// Whether a text is a key, or a URL with a password.
fn looks_secret(text: &str) -> bool {
    let has_password = |rest: &str| {
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        host.split_once('@').is_some_and(|(user, _)| user.contains(':'))
    };
    let text = text.trim_start();
    KEYS.iter().any(|key| text.starts_with(key)) || text.split_once("://").is_some_and(|(_, rest)| has_password(rest))
}

/// Whether a value has a member with a secret name. `serde_json` bounds the depth.
fn holds_secret(value: &Value) -> bool {
    match value {
        Value::Object(fields) => fields.iter().any(|(name, value)| is_secret(name) || holds_secret(value)),
        Value::Array(items) => items.iter().any(holds_secret),
        Value::String(text) => looks_secret(text),
        _ => false,
    }
}

impl TypedValues {
    /// The values that are not secret.
    fn saved(&self) -> SavedValues {
        let is_public =
            |way: &[ValueStep]| !way.iter().any(|step| matches!(step, ValueStep::Field(name) if is_secret(name)));
        let mut saved = SavedValues::default();
        for (way, typed) in self.given.iter().filter(|(way, _)| is_public(way)) {
            let value = match typed {
                TypedValue::Flag(flag) => SavedValue::Flag(*flag),
                TypedValue::Text(text) if looks_secret(text) => continue,
                TypedValue::Text(text) => match json(text) {
                    Some(Ok(value)) if holds_secret(&value) => continue,
                    // Invalid JSON, whose members are unknown.
                    Some(Err(_)) => continue,
                    _ => SavedValue::Text(text.clone()),
                },
            };
            saved.given.push((steps(way), value));
        }
        let items = self.items.iter().filter(|(way, _)| is_public(way));
        saved.items = items.map(|(way, count)| (steps(way), *count)).collect();
        saved
    }

    fn from_saved(saved: SavedValues) -> Self {
        let way = |steps: Vec<SavedStep>| {
            let step = |step| match step {
                SavedStep::Field(name) => ValueStep::Field(name),
                SavedStep::Item(at) => ValueStep::Item(at),
            };
            steps.into_iter().map(step).collect()
        };
        let value = |value| match value {
            SavedValue::Flag(flag) => TypedValue::Flag(flag),
            SavedValue::Text(text) => TypedValue::Text(text),
        };
        Self {
            given: saved.given.into_iter().map(|(steps, typed)| (way(steps), value(typed))).collect(),
            items: saved.items.into_iter().map(|(steps, count)| (way(steps), count)).collect(),
        }
    }
}

fn steps(way: &[ValueStep]) -> Vec<SavedStep> {
    let step = |step: &ValueStep| match step {
        ValueStep::Field(name) => SavedStep::Field(name.clone()),
        ValueStep::Item(at) => SavedStep::Item(*at),
    };
    way.iter().map(step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_are_secret() {
        for (text, secret) in [
            ("postgres://ada:pw@db/shop", true),
            ("https://e.org/a:b@c", false),
            ("https://e.org", false),
            ("ghp_0123456789", true),
            ("-----BEGIN PRIVATE KEY-----", true),
            ("skip", false),
            ("Ada", false),
        ] {
            assert_eq!(looks_secret(text), secret, "{text}");
        }
    }

    #[test]
    fn names_of_secrets() {
        for (name, secret) in [
            ("password", true),
            ("dbPassword", true),
            ("DB_PASSWORD", true),
            ("api-key", true),
            ("apiKey", true),
            ("x_access_token", true),
            ("clientSecret", true),
            ("pin", true),
            ("key", false),
            ("keyName", false),
            ("pinned", false),
            ("serviceName", false),
            ("Passwort", true),
            ("mot_de_passe", true),
            ("dbPass", true),
            ("GH_PAT", true),
            ("path", false),
            ("compass", false),
            ("author", false),
            ("auth", true),
            ("database_url", true),
            ("url", false),
        ] {
            assert_eq!(is_secret(name), secret, "{name}");
        }
    }

    #[test]
    fn everything_but_secrets_comes_back() {
        let field = |name: &str| ValueStep::Field(name.to_owned());
        let text = |text: &str| TypedValue::Text(text.to_owned());
        let mut kept = TypedValues::default();
        kept.set(vec![field("name")], text("orders"));
        kept.set(vec![field("flag")], TypedValue::Flag(true));
        kept.set(vec![field("fields"), ValueStep::Item(2), field("name")], text(""));
        kept.set(vec![field("limits")], text(":={\"most\": [1, {\"least\": 2}]}"));
        let mut typed = kept.clone();
        typed.given.insert(vec![field("password")], text("hunter2"));
        typed.given.insert(vec![field("db"), field("apiKey")], text("hunter2"));
        typed.given.insert(vec![field("all")], text(":=[{\"db\": {\"secret\": \"hunter2\"}}]"));
        typed.given.insert(vec![field("begun")], text(":={\"password\": \"hunter2"));
        typed.items.insert(vec![field("tokens")], 3);
        let saved = typed.saved();
        assert!(!serde_json::to_string(&saved).unwrap().contains("hunter2"));
        let read = serde_json::from_str(&serde_json::to_string(&saved).unwrap()).unwrap();
        assert_eq!(TypedValues::from_saved(read), kept);
    }
}
