//! Values within a text of several words: grouped numbers and addresses, with their positions.

use std::ops::Range;

use super::detect::{has_area_code, is_card, is_dated, is_iban, is_issued, is_phone, values_in};
use crate::names::words::split;
use crate::parts::place;

/// The minimum number of digits searched for.
const DIGITS: usize = 7;

/// Words before a phone number.
const PHONE_WORDS: &[&str] = &[
    "tel",
    "telephone",
    "telefon",
    "telefonnummer",
    "phone",
    "fax",
    "telefax",
    "mobile",
    "mobil",
    "handy",
    "cell",
    "call",
    "ruf",
    "rufnummer",
    "téléphone",
    "telephono",
    "telefono",
    "teléfono",
    "telefone",
    "celular",
    "cellulare",
    "móvil",
    "movil",
    "portable",
    "whatsapp",
    "sms",
];

/// Where a value is, and its kind.
pub(super) type Passage = (Range<usize>, &'static str);

/// The sensitive values among the words and groups of digits of a text.
pub(super) fn passages(text: &str) -> Vec<Passage> {
    let is_end = |c: char| c.is_whitespace() || "[]{}<>()\"',;|=`".contains(c);
    let mut found = groups(text);
    let values = text.split(is_end).flat_map(values_in);
    found.extend(values.map(|(value, kind)| (place(text, value), kind)));
    found.extend(passwords(text).map(|value| (place(text, value), "password")));
    found
}

const BLANKS: [char; 2] = [' ', '\t'];
const QUOTES: [char; 2] = ['"', '\''];

/// What a word of a password's name ends in, as in `Server=db;Password=hunter2` and `PGPASSWORD=hunter2`.
const PASSWORD_ENDINGS: [&str; 15] = [
    "password",
    "passwd",
    "pwd",
    "passwort",
    "kennwort",
    "passphrase",
    "pass",
    "_pw",
    "apikey",
    "api_key",
    "accesskey",
    "access_key",
    "secretkey",
    "secret_key",
    "secret",
];

/// Words that end in `pass`, but name no password.
const OTHER_PASSES: [&str; 6] = ["bypass", "compass", "overpass", "surpass", "trespass", "underpass"];

/// After a password's name, these words name something else, as in `password_file`.
const ABOUT_PASSWORDS: [&str; 17] = [
    "algorithm",
    "changed",
    "column",
    "count",
    "encryption",
    "expires",
    "expiry",
    "field",
    "file",
    "hash",
    "length",
    "name",
    "path",
    "policy",
    "rate",
    "reset",
    "type",
];

/// What a comment may say of a password: what it is, and how it is stored.
const PLAIN_WORDS: [&str; 18] = [
    "true",
    "false",
    "none",
    "null",
    "empty",
    "required",
    "optional",
    "hashed",
    "encrypted",
    "sha1",
    "sha-1",
    "sha256",
    "sha-256",
    "sha512",
    "sha-512",
    "argon2",
    "argon2id",
    "pbkdf2_sha256",
];

/// Whether the name is that of a password: `DB_PASSWORD_PROD`, but not `password_hash`.
fn is_password(name: &str) -> bool {
    let name = format!("_{}", split(name).join("_"));
    PASSWORD_ENDINGS.iter().any(|ending| {
        let after = name.rmatch_indices(ending).find_map(|(at, _)| {
            let (before, after) = name.split_at_checked(at + ending.len())?;
            let is_end = after.is_empty() || after.starts_with('_');
            (is_end && !OTHER_PASSES.iter().any(|other| before.ends_with(other))).then_some(after)
        });
        after.is_some_and(|after| !after.split('_').any(|word| ABOUT_PASSWORDS.contains(&word)))
    })
}

/// The values that are assigned to passwords. After a space or a colon a plain word describes the password instead,
/// unless it is quoted, after a colon like the name.
fn passwords(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices(['=', ':']).filter_map(|(at, sign)| {
        let written = text.get(..at)?.trim_end_matches(BLANKS);
        let name = written.trim_end_matches([' ', '"', '\'', '\\']);
        let name = name.rsplit(|c: char| !c.is_alphanumeric() && c != '_' && c != '-').next()?;
        let after = text.get(at + sign.len()..)?;
        let is_cast = sign == ":" && after.starts_with(':');
        if is_cast || !is_password(name) {
            return None;
        }
        let value = assigned(after);
        let has = |is: fn(char) -> bool| value.contains(is);
        let is_quoted = after.trim_start_matches([' ', '\t', '\\']).starts_with(QUOTES);
        let is_assigned = match sign {
            "=" => is_quoted || !after.starts_with(BLANKS),
            _ => is_quoted && written.ends_with(QUOTES),
        };
        let is_value = is_assigned || (has(|c| c.is_ascii_digit()) && has(char::is_alphabetic));
        let is_long = value.chars().nth(3).is_some();
        (is_value && is_long && !is_remark(value)).then_some(value)
    })
}

/// The value at the beginning of what follows the sign: up to the closing quote, otherwise up to a semicolon or a blank.
/// Other punctuation may be part of a password.
fn assigned(after: &str) -> &str {
    let value = after.trim_start_matches([' ', '\t', '\\']);
    let Some(quoted) = value.strip_prefix(QUOTES) else {
        let word = value.split(|c: char| c.is_whitespace() || c == ';').next().unwrap_or_default();
        return word.trim_end_matches(['.', ',', ')', ']', '}', '"', '\'']);
    };
    let quote = value.get(..1).unwrap_or_default();
    // A quote within the value is doubled, or a letter follows.
    let is_end = |(at, _): &(usize, &str)| {
        let rest = quoted.get(at + 1..).unwrap_or_default();
        !rest.starts_with(char::is_alphanumeric) && !rest.starts_with(quote)
    };
    let end = quoted.match_indices(quote).find(is_end).map_or(quoted.len(), |(at, _)| at);
    quoted.get(..end).unwrap_or_default()
}

/// Whether a value says something about the password, as `required` and `(password left out)` do.
fn is_remark(value: &str) -> bool {
    let inner = value.trim_start_matches('(');
    let end = inner.find(|c: char| "\"',&()".contains(c)).unwrap_or(inner.len());
    let (word, after) = inner.split_at_checked(end).unwrap_or((inner, ""));
    let is_in_words = || word.chars().all(|c| c.is_alphabetic() || matches!(c, ' ' | '-'));
    let is_plain = PLAIN_WORDS.contains(&word.to_lowercase().as_str()) || (value.starts_with('(') && is_in_words());
    is_plain && ends_remark(after.trim_start_matches(')'))
}

/// Whether a remark ends before this: otherwise, as in `none,swordfish`, its word is the beginning of a password.
fn ends_remark(after: &str) -> bool {
    let mut rest = after.chars();
    match rest.next() {
        None => true,
        Some('"' | '\'') => !rest.as_str().starts_with(char::is_alphanumeric),
        Some(',' | '&') => rest.as_str().starts_with(BLANKS) || begins_with_name(rest.as_str()),
        Some(other) => other.is_whitespace(),
    }
}

/// Whether the text begins with `name=`.
fn begins_with_name(text: &str) -> bool {
    let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
    text.split_once('=').is_some_and(|(name, _)| is_name(name))
}

/// The kind of value that grouped digits, or what is assigned to a password, form among other words.
pub(super) fn kind_within(text: &str) -> Option<&'static str> {
    groups(text).first().map(|(_, kind)| *kind).or_else(|| passwords(text).next().map(|_| "password"))
}

/// The numbers of cards, phones and accounts among other words.
fn groups(text: &str) -> Vec<Passage> {
    let mut found: Vec<Passage> = numbers(text).chain(ibans(text)).collect();
    if text.contains('_') {
        // The positions are the same.
        let plain = text.replace('_', "-");
        found.extend(numbers(&plain).filter(|(_, kind)| *kind == "card"));
    }
    found
}

/// Card and phone numbers whose digits are grouped by spaces, dots or hyphens.
fn numbers(text: &str) -> impl Iterator<Item = Passage> {
    let has_digits = text.bytes().filter(u8::is_ascii_digit).nth(DIGITS - 1).is_some();
    let is_part = |c: char| c.is_ascii_digit() || c.is_whitespace() || "+-./()".contains(c);
    let runs = text.split(move |c: char| !is_part(c)).filter(move |_| has_digits);
    let runs = runs.map(|run| run.trim_matches(|c: char| !c.is_ascii_digit() && c != '+' && c != '('));
    runs.filter_map(move |run| {
        let at = place(text, run);
        if let Some(card) = card(run) {
            return Some((place(text, card), "card"));
        }
        let digits = run.bytes().filter(u8::is_ascii_digit).count();
        let before = text.get(..at.start).unwrap_or_default();
        let word = before.trim_end_matches(|c: char| !c.is_alphanumeric());
        let word = word.rsplit(|c: char| !c.is_alphabetic()).next().unwrap_or_default().to_lowercase();
        let is_said = PHONE_WORDS.contains(&word.as_str()) && (DIGITS..=15).contains(&digits) && !is_dated(run);
        let is_written = run.starts_with(['+', '(']) && is_phone(run, digits);
        let groups: Vec<&str> = run.split(|c: char| !c.is_ascii_digit()).filter(|group| !group.is_empty()).collect();
        let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let after = text.get(at.end..).unwrap_or_default();
        let is_code = is_letter(before.chars().next_back()) || is_letter(after.chars().next());
        let is_local = has_area_code(&groups) && !run.contains('.') && !is_dated(run);
        let is_local = (is_local || is_american(run)) && !is_code;
        (is_said || is_written || is_local).then_some((at, "phone"))
    })
}

/// `415.555.1234`.
fn is_american(run: &str) -> bool {
    let groups: Vec<&str> = run.split('.').collect();
    groups.iter().map(|group| group.len()).eq([3, 3, 4])
        && groups.iter().all(|group| group.bytes().all(|byte| byte.is_ascii_digit()))
        && groups.iter().take(2).all(|group| !group.starts_with(['0', '1']))
}

/// How the digits of cards are grouped; those that begin with `3` have fewer.
const CARDS: [(bool, &[usize]); 7] = [
    (true, &[4, 6, 5]),
    (true, &[4, 6, 4]),
    (true, &[15]),
    (true, &[14]),
    (false, &[4, 4, 4, 4, 3]),
    (false, &[4, 4, 4, 4]),
    (false, &[16]),
];

/// The groups of digits that are a card number.
fn card(run: &str) -> Option<&str> {
    let groups: Vec<&str> = run.split(|c: char| !c.is_ascii_digit()).filter(|group| !group.is_empty()).collect();
    (0..groups.len()).find_map(|first| {
        CARDS.iter().find_map(|(is_short, lengths)| {
            let part = groups.get(first..first + lengths.len())?;
            let is_shaped = part.iter().zip(*lengths).all(|(group, length)| group.len() == *length);
            let text = part.concat();
            let digits: Vec<u8> = text.bytes().map(|byte| byte - b'0').collect();
            let (start, end) = (place(run, part.first()?).start, place(run, part.last()?).end);
            // The decimal places of a number.
            let is_fraction = part.len() == 1 && run.get(..start).is_some_and(|before| before.ends_with('.'));
            let is_card =
                is_shaped && text.starts_with('3') == *is_short && is_issued(&text) && is_card(&text, &digits);
            (is_card && !is_fraction).then(|| run.get(start..end)).flatten()
        })
    })
}

/// Account numbers, also in groups, as they are printed.
fn ibans(text: &str) -> impl Iterator<Item = Passage> {
    let words: Vec<&str> = if text.bytes().filter(u8::is_ascii_digit).count() < DIGITS {
        Vec::new()
    } else {
        text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect()
    };
    let begins = |word: &str| {
        let bytes = word.as_bytes();
        bytes.len() >= 4
            && bytes.iter().take(2).all(u8::is_ascii_uppercase)
            && bytes.iter().skip(2).take(2).all(u8::is_ascii_digit)
    };
    (0..words.len()).filter_map(move |first| {
        let is_group = words.get(first).filter(|word| begins(word))?.len() == 4;
        let counts = if is_group { 4..=9 } else { 1..=1 };
        counts.rev().find_map(|count| {
            let part = words.get(first..first + count)?;
            let (start, end) = (place(text, part.first()?).start, place(text, part.last()?).end);
            is_iban(&part.concat()).then_some((start..end, "IBAN"))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_among_other_words_are_found_where_they_are() {
        for (text, expected) in [
            ("4111.1111.1111.1111", "card 4111.1111.1111.1111"),
            ("card 4111 1111 1111 1111, paid", "card 4111 1111 1111 1111"),
            ("12 4111-1111-1111-1111", "card 4111-1111-1111-1111"),
            ("amex 3782 822463 10005", "card 3782 822463 10005"),
            ("tel 0171 5551230", "phone 0171 5551230"),
            ("Tel.: 0171/555-1230.", "phone 0171/555-1230"),
            ("phone 5551230 or later", "phone 5551230"),
            ("ask under +49 171 5551230", "phone +49 171 5551230"),
            ("of DE89 3704 0044 0532 0130 00 alone", "IBAN DE89 3704 0044 0532 0130 00"),
            ("owner carol@x.example, and so on", "e-mail carol@x.example"),
            ("mail:ann@example.org.", "e-mail ann@example.org"),
            ("login bob@example.com:hunter2, asks", "e-mail bob@example.com:hunter2"),
            ("see user=bob@example.com&x=1", "e-mail bob@example.com&x"),
            ("on 192.168.7.10:8080", "IP address 192.168.7.10:8080"),
            ("see https://ann:pw@example.org/x", "URL with user https://ann:pw@example.org/x"),
            ("card VISA-4111111111111111 is", "card 4111111111111111"),
            ("AHV 756.1234.5678.97.", "social security number 756.1234.5678.97"),
            ("since 2024-01-31 2024-02-28 1200", ""),
            ("rows 1 2 3 4 5 6 7 8 9 10", ""),
            ("bitte 0171-4635298 rufen", "phone 0171-4635298"),
            ("room B, 0171 463 52 98 after nine", "phone 0171 463 52 98"),
            ("code A0171-4635298", ""),
            ("code 0171-4635298B", ""),
            ("on 01-02-2024 10", ""),
            ("0171.4635298", ""),
            ("ask 415.555.1234 or so", "phone 415.555.1234"),
            ("version 415.055.1234", ""),
            ("card 4111_1111_1111_1111 is", "card 4111_1111_1111_1111"),
            ("ix_0171_4635298", ""),
            ("with api_key: sk_live_51Hxyz.", "password sk_live_51Hxyz"),
            ("{\"password\": \"hunter2\"}", "password hunter2"),
            ("Passwort = hunter2", "password hunter2"),
            ("password: SHA-256 of it", ""),
            ("password: at least 8 characters", ""),
            ("reset_password=true, password=(kept)", ""),
            ("Server=db;Password=p@ss,w0rd-swordfish;Timeout=3", "password p@ss,w0rd-swordfish"),
            ("set DB_PASSWORD=swordfish before use", "password swordfish"),
            ("PGPASSWORD=swordfish.", "password swordfish"),
            ("dbPass=a1)b&c", "password a1)b&c"),
            ("secret_key=(swordfish7", "password (swordfish7"),
            ("Password=\"correct horse battery\" it is", "password correct horse battery"),
            ("Password='it''s me';Uid=bob", "password it''s me"),
            ("{\"db-password\": \"it's, (1)\"}", "password it's, (1)"),
            (r#"{\"pwd\": \"hunter2 \"}"#, r"password hunter2 \"),
            ("Password='correct horse", "password correct horse"),
            ("Server=db;Password=none,swordfish", "password none,swordfish"),
            ("Password=true)swordfish", "password true)swordfish"),
            ("Password='none'swordfish", "password none'swordfish"),
            ("password=(kept)swordfish", "password (kept)swordfish"),
            ("DB_PASSWORD_PROD=swordfish", "password swordfish"),
            ("PASSWORD2=swordfish", "password swordfish"),
            ("DBPASS=swordfish userpass=hashed", "password swordfish"),
            ("userpass=swordfish", "password swordfish"),
            ("{\"password\":\"swordfish\"}", "password swordfish"),
            ("{'password' : 'correct horse'}", "password correct horse"),
            ("PASSWORD\t=swordfish", "password swordfish"),
            ("password = 'swordfish'", "password swordfish"),
            ("Password=none,User=bob; Password=true&x=y; Password=\"none, or hashed\"", ""),
            ("password_hash=hexadecimal; password_file=/run/db, passwordLength=1234, secretary=Carol", ""),
            ("'password_pending'::varchar(20)", ""),
            ("compass=north, BYPASS=swordfish, pass_rate=0.98", ""),
            ("password=required; password=hashed, bypass=swordfish", ""),
            ("'reset_password=true'::boolean, password=\"\", password=(e-mail left out)", ""),
            ("call it 12 times", ""),
            ("call 2024-01-31", ""),
            ("4111 1111 1111 1112", ""),
            ("DE89 3704 0044 0532 0130 01", ""),
            ("3.141592653589793", ""),
            ("version 2024.10.11.123456", ""),
            ("of 1700 0000 0000 0003 ms", ""),
        ] {
            let found = passages(text);
            let shown = found.first().map(|(place, kind)| format!("{kind} {}", text.get(place.clone()).unwrap()));
            assert_eq!(shown.unwrap_or_default(), expected, "{text}");
        }
    }
}
