//! Detects personal data and secrets: addresses, numbers with check digits, keys.

use std::net::{IpAddr, SocketAddr};

use super::passages::kind_within;
use crate::parts::place;

/// The minimum length of a part that is examined separately.
const PART: usize = 6;

/// The minimum length of a text that can be recognized as a secret by its randomness alone.
const SECRET: usize = 20;

/// The kind of sensitive value that a text is or contains: as a member of JSON, of an array or of a list, or among
/// other words.
pub(crate) fn detect(text: &str) -> Option<&'static str> {
    let is_quote = |c: char| "[]{}<>()\"',;|=\n\t".contains(c);
    let is_structured = text.contains(is_quote) || text.contains(": ") || text.contains("\":");
    let parts = text.split(move |c: char| is_quote(c)).filter(move |_| is_structured);
    let mut words = text.split(move |c: char| is_quote(c) || c.is_whitespace());
    let of_parts = || parts.filter(|part| part.len() >= PART).find_map(whole);
    let of_words = || words.find_map(|word| value_in(word).map(|(_, kind)| kind));
    whole(text).or_else(of_parts).or_else(of_words).or_else(|| kind_within(text))
}

/// The kind of sensitive value that an integer's digits form. Phone numbers are distinguishable from other numbers only
/// in groups: see [`may_be_phone_number`].
pub(crate) fn detect_integer(text: &str) -> Option<&'static str> {
    let text = text.trim_end_matches('0').strip_suffix('.').unwrap_or(text);
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_digit).map(|byte| byte - b'0').collect();
    (digits.len() == text.len() && is_issued(text) && is_card(text, &digits)).then_some("card")
}

/// Whether the digits start like a card number; a timestamp in milliseconds starts with 1.
pub(super) fn is_issued(text: &str) -> bool {
    let beginning = |length: usize| text.get(..length).and_then(|text| text.parse::<u32>().ok()).unwrap_or(0);
    matches!(beginning(1), 4 | 6)
        || matches!(beginning(2), 51..=55 | 34 | 37 | 30 | 36 | 38 | 39)
        || matches!(beginning(4), 2221..=2720 | 3528..=3589)
}

/// Whether an integer may be a phone number with a country or area code: not a recent timestamp in seconds or
/// milliseconds, and not a date without punctuation.
pub(crate) fn may_be_phone_number(text: &str) -> bool {
    let Ok(number) = text.parse::<u64>() else { return false };
    let is_time = matches!(number, 900_000_000..2_000_000_000 | 900_000_000_000..2_000_000_000_000);
    let two = |at: usize| text.get(at..at + 2).and_then(|text| text.parse::<u8>().ok()).unwrap_or(0);
    let is_date = matches!(text.len(), 12 | 14)
        && matches!(two(0), 19 | 20)
        && matches!(two(4), 1..=12)
        && matches!(two(6), 1..=31);
    (10..=15).contains(&text.len()) && !is_time && !is_date
}

/// Whether a number may be a latitude or a longitude, by its decimal places: sums have fewer, quotients more.
pub(crate) fn is_degree(number: f64, text: &str) -> bool {
    let places = text.split_once('.').map_or(0, |(_, places)| places.trim_end_matches('0').len());
    number.abs() <= 180.0 && (4..=8).contains(&places)
}

/// What separates the parts of a word.
const PART_ENDS: [char; 5] = [':', '/', '&', '?', '#'];

/// The sensitive value in a word, and its kind: what follows a colon (`mail:ann@example.org`), the word, or a part of it.
pub(super) fn value_in(word: &str) -> Option<(&str, &'static str)> {
    let word = word.trim_matches(['.', ':', '!', '?']);
    let value = word.split_once(':').map_or(word, |(_, value)| value);
    let value = if value.starts_with("//") { word } else { value };
    let found = [value, word].into_iter().find_map(|part| Some((part, whole_word(part)?)));
    let mut parts = word.split(PART_ENDS);
    found.or_else(|| parts.find_map(|part| Some((part, kind_of_part(word, part)?))))
}

/// All sensitive values in a word, such as a password and an address beside it.
pub(super) fn values_in(word: &str) -> Vec<(&str, &'static str)> {
    let Some((first, kind)) = value_in(word) else { return Vec::new() };
    let taken = place(word, first);
    let is_beside = |part: &&str| {
        let at = place(word, part);
        at.end <= taken.start || taken.end <= at.start
    };
    let word = word.trim_matches(['.', ':', '!', '?']);
    let others = word.split(PART_ENDS).filter(is_beside).filter_map(|part| Some((part, kind_of_part(word, part)?)));
    std::iter::once((first, kind)).chain(others).collect()
}

fn kind_of_part(word: &str, part: &str) -> Option<&'static str> {
    let is_in_path = word.get(..place(word, part).start).is_some_and(|before| before.ends_with('/'));
    whole_word(part).filter(|kind| match *kind {
        // `kind_within` finds them in any text; a part may be the seconds of a time, or a number in a path.
        "card" | "IBAN" | "phone" => false,
        // A version (`Chrome/120.0.0.0`) or a long name.
        "IP address" | "secret" => !is_in_path,
        _ => true,
    })
}

/// The kind of sensitive value that one word is.
fn whole_word(word: &str) -> Option<&'static str> {
    if word.len() < PART { None } else { whole(word) }
}

/// The kind of sensitive value that a text is.
fn whole(text: &str) -> Option<&'static str> {
    let text = text.trim();
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_digit).map(|byte| byte - b'0').collect();
    // Most certain first.
    let detectors: [(&'static str, bool); 13] = [
        ("private key", text.contains("-----BEGIN ")),
        ("token", is_jwt(text)),
        ("URL with user", is_url_with_user(text)),
        ("e-mail", has_mail(text)),
        ("IBAN", is_iban(text)),
        ("card", is_card(text, &digits)),
        ("IP address", is_ip(text)),
        ("MAC address", is_mac(text)),
        ("social security number", is_social_security(text)),
        ("tax number", is_cpf(text, &digits)),
        ("coordinates", is_coordinates(text)),
        ("phone", is_phone(text, digits.len())),
        ("secret", is_secret(text)),
    ];
    detectors.into_iter().find(|(_, is_it)| *is_it).map(|(kind, _)| kind)
}

fn has_mail(text: &str) -> bool {
    if text.contains('@') {
        return has_plain_mail(text);
    }
    // As URLs and full-width keyboards write it.
    if text.contains("%40") || text.contains('＠') {
        return has_plain_mail(&text.replace("%40", "@").replace('＠', "@"));
    }
    // `ann (at) example (dot) org`, as people write it to hide it from programs.
    let is_hidden = |open: char| matches!(open, '(' | '[' | '{' | '<');
    if !text.contains(is_hidden) {
        return false;
    }
    let mut plain = text.to_lowercase();
    for (word, sign) in [("at", "@"), ("dot", ".")] {
        for (open, close) in ["()", "[]", "{}", "<>"].iter().filter_map(|pair| pair.split_at_checked(1)) {
            for blank in [" ", ""] {
                plain = plain.replace(&format!("{blank}{open}{word}{close}{blank}"), sign);
            }
        }
    }
    has_plain_mail(&plain)
}

fn has_plain_mail(text: &str) -> bool {
    let is_address = |before: &str, rest: &str| {
        let end = rest.find(|c: char| !c.is_alphanumeric() && !matches!(c, '.' | '-')).unwrap_or(rest.len());
        let host = rest.get(..end).unwrap_or_default();
        let ending = host.trim_end_matches(['.', '-']).rsplit_once('.').map_or("", |(_, ending)| ending);
        let is_ending = ending.len() >= 2 && (ending.chars().all(char::is_alphabetic) || ending.starts_with("xn--"));
        // `git@github.com:team/app.git` names a repository, `/@ann.s` a profile, and `vue@3.2.47` a version.
        // Also the end of a quoted user, as in `"ann lee"@example.org`.
        let user = before.strip_suffix('"').unwrap_or(before);
        let has_user = user.ends_with(|c: char| c.is_alphanumeric() || "._%+-".contains(c));
        is_ending && has_user && before != "git"
    };
    let mut words = text.split(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | ',' | ';' | '(' | ')'));
    let parts = |(at, sign): (usize, &str), word: &str| {
        is_address(word.get(..at).unwrap_or_default(), word.get(at + sign.len()..).unwrap_or_default())
    };
    words.any(|word| word.match_indices('@').any(|sign| parts(sign, word)))
}

fn is_url_with_user(text: &str) -> bool {
    let Some((_, rest)) = text.split_once("://") else { return false };
    rest.split(['/', '?', '#']).next().is_some_and(|authority| authority.contains('@'))
}

fn is_jwt(text: &str) -> bool {
    let parts: Vec<&str> = text.split('.').collect();
    let is_part =
        |part: &&str| part.len() > 8 && part.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
    parts.len() == 3 && text.starts_with("ey") && parts.iter().take(2).all(is_part)
}

/// ISO 13616: the number, rotated and with letters as numbers, leaves 1 when divided by 97.
pub(super) fn is_iban(text: &str) -> bool {
    let plain: Vec<u8> =
        text.bytes().filter(|byte| !byte.is_ascii_whitespace()).map(|b| b.to_ascii_uppercase()).collect();
    let is_shaped = (15..=34).contains(&plain.len())
        && plain.iter().take(2).all(u8::is_ascii_uppercase)
        && plain.iter().skip(2).take(2).all(u8::is_ascii_digit)
        && plain.iter().all(u8::is_ascii_alphanumeric);
    let turned = plain.iter().skip(4).chain(plain.iter().take(4));
    let rest = turned.fold(0u32, |rest, byte| match byte {
        b'0'..=b'9' => (rest * 10 + u32::from(byte - b'0')) % 97,
        byte => (rest * 100 + u32::from(byte.saturating_sub(b'A')) + 10) % 97,
    });
    is_shaped && rest == 1
}

/// ISO 7812: 13 to 19 digits whose Luhn sum is a multiple of ten.
pub(super) fn is_card(text: &str, digits: &[u8]) -> bool {
    let is_shaped = text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b' ' | b'-'));
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(at, digit)| match (at % 2, u32::from(*digit) * 2) {
            (1, double) if double > 9 => double - 9,
            (1, double) => double,
            _ => u32::from(*digit),
        })
        .sum();
    is_shaped && (13..=19).contains(&digits.len()) && sum.is_multiple_of(10) && digits.iter().any(|digit| *digit != 0)
}

/// An address by itself, of a network, with a port, with the name of an interface, or as the host of a URL.
fn is_ip(text: &str) -> bool {
    let host = text.split_once("://").map_or(text, |(_, rest)| rest);
    let host = host.split(['/', '?', '#', '%']).next().unwrap_or_default();
    let is_address = || host.parse::<IpAddr>().is_ok() || host.parse::<SocketAddr>().is_ok();
    // Two colons by themselves are an address too.
    host.contains(|c: char| c.is_ascii_digit()) && is_address()
}

/// `00:1b:44:11:3a:b7` and `001b.4411.3ab7`.
fn is_mac(text: &str) -> bool {
    let is_grouped = |parts: &[&str], count: usize, length: usize| {
        let is_hex = |part: &&str| part.len() == length && part.bytes().all(|byte| byte.is_ascii_hexdigit());
        parts.len() == count && parts.iter().all(is_hex)
    };
    let has = |is: fn(&u8) -> bool| text.bytes().any(|byte| is(&byte));
    is_grouped(&text.split([':', '-']).collect::<Vec<_>>(), 6, 2)
        || (is_grouped(&text.split('.').collect::<Vec<_>>(), 3, 4)
            && has(u8::is_ascii_digit)
            && has(u8::is_ascii_alphabetic))
}

/// `123-45-6789`, `AB 12 34 56 C` and `756.1234.5678.97`.
fn is_social_security(text: &str) -> bool {
    let sign = |c: char| match c {
        '0'..='9' => '9',
        'A'..='Z' => 'A',
        c => c,
    };
    let shape: String = text.chars().map(sign).collect();
    let is_swiss = || shape == "999.9999.9999.99" && text.starts_with("756.") && has_ean_check_digit(text);
    ["999-99-9999", "AA999999A", "AA 99 99 99 A"].contains(&shape.as_str()) || is_swiss()
}

/// The digits, every second one three times, add up to a multiple of ten.
fn has_ean_check_digit(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).map(|byte| u32::from(byte - b'0'));
    digits.zip([1, 3].into_iter().cycle()).map(|(digit, weight)| digit * weight).sum::<u32>().is_multiple_of(10)
}

/// A Brazilian taxpayer number with its punctuation.
fn is_cpf(text: &str, digits: &[u8]) -> bool {
    let check = |count: usize| -> Option<bool> {
        let sum: usize = digits
            .iter()
            .take(count)
            .zip((2..=count + 1).rev())
            .map(|(digit, weight)| usize::from(*digit) * weight)
            .sum();
        let wanted = match sum * 10 % 11 {
            10 => 0,
            rest => rest,
        };
        Some(usize::from(*digits.get(count)?) == wanted)
    };
    digits.len() == 11 && text.contains('.') && text.contains('-') && check(9) == Some(true) && check(10) == Some(true)
}

/// Two numbers with many decimal places, within the ranges of latitude and longitude.
fn is_coordinates(text: &str) -> bool {
    let Some((one, other)) = text.split_once([',', ';', ' ']) else { return false };
    let number = |text: &str, most: f64| {
        let text = text.trim();
        let places = text.split_once('.').map_or(0, |(_, places)| places.len());
        text.parse::<f64>().is_ok_and(|number| number.abs() <= most) && places >= 3
    };
    number(one, 90.0) && number(other, 180.0)
}

/// Digits with a plus or punctuation, as people write phone numbers; a bare number or a date does not count.
pub(super) fn is_phone(text: &str, digits: usize) -> bool {
    let is_sign = |c: char| c.is_ascii_digit() || matches!(c, '+' | ' ' | '-' | '(' | ')' | '.' | '/');
    let groups: Vec<&str> = text.split(|c: char| !c.is_ascii_digit()).filter(|group| !group.is_empty()).collect();
    let is_date = is_dated(text);
    let has_plus = text.starts_with('+') || text.starts_with("00");
    let has_area = text.starts_with('(') && text.contains(')');
    // Two groups with a point are a decimal number.
    let is_local = has_area_code(&groups) && (groups.len() > 2 || !text.contains('.'));
    let is_grouped = groups.len() >= 3 && !text.contains('.') && digits >= 9;
    let is_told = has_plus || has_area || is_grouped || is_local;
    (7..=15).contains(&digits) && text.chars().all(is_sign) && !is_date && is_told
}

/// Whether groups of digits are a national phone number: `0171 4635298`, `030 123 45 67`, `06 12 34 56 78`.
pub(super) fn has_area_code(groups: &[&str]) -> bool {
    let Some((area, rest)) = groups.split_first() else { return false };
    let digits: usize = groups.iter().map(|group| group.len()).sum();
    let is_shaped = match rest {
        [] => false,
        [one] => one.len() >= 5,
        rest if area.len() == 2 => rest.len() == 4 && rest.iter().all(|group| group.len() == 2),
        rest => rest.iter().all(|group| group.len() >= 2),
    };
    let is_area = (2..=5).contains(&area.len()) && area.starts_with('0') && !area.starts_with("00");
    is_area && is_shaped && (9..=12).contains(&digits)
}

/// Whether a text begins with a date in the format of databases.
pub(crate) fn is_dated(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    (0..4).all(is_digit)
        && matches!(bytes.get(4), Some(b'-' | b'/'))
        && is_digit(5)
        && (matches!(bytes.get(7), Some(b'-' | b'/')) || matches!(bytes.get(6), Some(b'-' | b'/')))
}

/// A long word in which letters and digits are mixed as if at random; also the hash of a password, as in `$2b$12$…` or, by
/// MySQL, `*2470C0C0…`, and a key in parts, as in `SG.….…`.
fn is_secret(text: &str) -> bool {
    let is_key = |part: &str| {
        part.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && part.contains(|c: char| c.is_ascii_uppercase())
            && part.contains(|c: char| c.is_ascii_lowercase())
            && is_random(part)
    };
    let is_mysql_hash = |hash: &str| hash.len() == 40 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_random(text)
        || text.strip_prefix('*').is_some_and(is_mysql_hash)
        || (text.matches('$').nth(1).is_some() && text.split(['$', '.']).any(is_random))
        || (text.contains('.') && text.split('.').any(is_key))
}

fn is_random(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=' | '-' | '_');
    if text.len() < SECRET || !text.chars().all(is_part) {
        return false;
    }
    let has = |is: fn(&u8) -> bool| text.bytes().any(|byte| is(&byte));
    let is_uuid = text.len() == 36
        && text.bytes().enumerate().all(
            |(at, b)| {
                if [8, 13, 18, 23].contains(&at) { b == b'-' } else { b.is_ascii_hexdigit() }
            },
        );
    let classes = usize::from(has(u8::is_ascii_digit))
        + usize::from(has(u8::is_ascii_uppercase))
        + usize::from(has(u8::is_ascii_lowercase));
    classes >= 2 && has(u8::is_ascii_digit) && !is_uuid && entropy(text) >= 3.3
}

/// Shannon entropy in bits per character.
fn entropy(text: &str) -> f64 {
    let mut counts = [0u32; 256];
    for byte in text.bytes() {
        if let Some(count) = counts.get_mut(usize::from(byte)) {
            *count += 1;
        }
    }
    let all = text.len() as f64;
    let share = |count: &u32| f64::from(*count) / all;
    counts.iter().filter(|count| **count > 0).map(|count| -share(count) * share(count).log2()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_distinguished() {
        for (text, expected) in [
            ("ann@example.org", Some("e-mail")),
            ("Ann <ann@mail.example.org>", Some("e-mail")),
            ("@handle", None),
            ("DE89 3704 0044 0532 0130 00", Some("IBAN")),
            ("4111.1111.1111.1111", Some("card")),
            ("tel 0171 5551230", Some("phone")),
            ("paid by 4111 1111 1111 1111", Some("card")),
            ("DE89 3704 0044 0532 0130 01", None),
            ("4111 1111 1111 1111", Some("card")),
            ("4111 1111 1111 1112", None),
            ("+49 30 1234567", Some("phone")),
            ("(206) 555-9857", Some("phone")),
            ("030-555-7788", Some("phone")),
            ("0171-4635298", Some("phone")),
            ("0171 4635298", Some("phone")),
            ("0171/4635298", Some("phone")),
            ("0171 / 46 35 298", Some("phone")),
            ("06-12345678", Some("phone")),
            ("06.12.34.56.78", Some("phone")),
            ("bitte 0171-4635298 rufen", Some("phone")),
            ("room 12, 0171 4635298 after nine", Some("phone")),
            ("0171.4635298", None),
            ("01.02.2024", None),
            ("01-02-2024 10:20", None),
            ("12-4635298", None),
            ("4711-123456", None),
            ("A0171-4635298", None),
            ("2024-01-31", None),
            ("2024-01-31 10:20:30", None),
            ("192.168.0.1", Some("IP address")),
            ("2001:db8::1", Some("IP address")),
            ("00:1b:44:11:3a:b7", Some("MAC address")),
            ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0abc.sflKxwRJSM", Some("token")),
            ("-----BEGIN RSA PRIVATE KEY-----", Some("private key")),
            ("https://ann:pw@example.org/x", Some("URL with user")),
            ("https://example.org/a", None),
            // With more around it.
            ("bob@example.com:hunter2", Some("e-mail")),
            ("bob@example.com/home", Some("e-mail")),
            ("user=bob@example.com&x=1", Some("e-mail")),
            ("ask bob@example.com.", Some("e-mail")),
            ("192.168.1.10:8080", Some("IP address")),
            ("192.168.1.10:http", Some("IP address")),
            ("host=192.168.1.10&x=1", Some("IP address")),
            ("http://192.168.1.10/x", Some("IP address")),
            ("on tcp://192.168.1.10:80?x", Some("IP address")),
            ("http://[2001:db8::1]:8080/x", Some("IP address")),
            ("fe80::1%eth0", Some("IP address")),
            ("001B.4411.3AB7", Some("MAC address")),
            ("VISA-4111111111111111", Some("card")),
            ("4111111111111111x", Some("card")),
            ("acct:DE89370400440532013000/x", Some("IBAN")),
            ("756.1234.5678.97", Some("social security number")),
            ("/u/123-45-6789", Some("social security number")),
            ("id:123-45-6789:x", Some("social security number")),
            ("token=Xk29fLq81ZpVw03TbnR7&x=1", Some("secret")),
            ("756.1234.5678.98", None),
            ("1234.5678.9012", None),
            ("VISA-4111111111111112", None),
            ("0.4111111111111111", None),
            ("lodash@4", None),
            ("Chrome/120.0.6099.71", None),
            ("https://example.org/blog/2024-10-11-some-long-name", None),
            ("12:30:45", None),
            ("2024-01-31 10:20:00.123456+00", None),
            ("1920/1080:16/9", None),
            ("123-45-6789", Some("social security number")),
            ("AB123456C", Some("social security number")),
            ("529.982.247-25", Some("tax number")),
            ("52.5200, 13.4050", Some("coordinates")),
            ("sk_live_4eC39HqLyjWDarjtT1zdp7dc", Some("secret")),
            ("$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ$RdescudvJCsgt3ub4b5dWRWJTmaaJObG", Some("secret")),
            ("pbkdf2_sha256$260000$c2FsdHNhbHQ$RdescudvJCsgt3ub4b5dWRWJTmaaJObGxZ8=", Some("secret")),
            ("$2b$12$EixZaYVK1fsbw1ZfbX3OXePaWxn96p36WQoeG6Lruj3vjPGga31lW", Some("secret")),
            ("*2470C0C06DEE42FD1618BB99005ADCA2EC9D1E19", Some("secret")),
            ("*2470C0C06DEE42FD1618BB99005ADCA2EC9D1E1", None),
            ("Server=x;User Id=bob;Password=hunter2", Some("password")),
            ("bob%40example.com", Some("e-mail")),
            ("bob＠example.com", Some("e-mail")),
            ("\"bob x\"@example.com", Some("e-mail")),
            ("{\"handle\":\"@ann.example\"}", None),
            ("415.555.1234", Some("phone")),
            ("4111_1111_1111_1111", Some("card")),
            ("lib$net$Inner", None),
            ("aaaaaaaaaaaaaaaaaaaaaaaa1", None),
            ("550e8400-e29b-41d4-a716-446655440000", None),
            ("plain words", None),
            ("12345", None),
            ("AC/DC", None),
            // Embedded in other text.
            ("{\"mail\":\"ann@example.org\"}", Some("e-mail")),
            ("{\"a\": [1, {\"b\": \"+49 30 1234567\"}]}", Some("phone")),
            ("{ann@example.org,bob@example.org}", Some("e-mail")),
            ("['ann@example.org']", Some("e-mail")),
            ("mail:ann@example.org", Some("e-mail")),
            ("mail=ann@example.org", Some("e-mail")),
            ("to=DE89370400440532013000;from=x", Some("IBAN")),
            ("{4111111111111111}", Some("card")),
            ("{\"n\":4111111111111111}", Some("card")),
            ("host: 192.168.0.1", Some("IP address")),
            ("key=Xk29fLq81ZpVw03TbnR7 for all", Some("secret")),
            ("ann (at) example.com", Some("e-mail")),
            ("ann(at)example.com", Some("e-mail")),
            ("Ann.Lee [AT] example [dot] com", Some("e-mail")),
            ("meet (at) noon", None),
            ("std :: vec", None),
            ("{\"state\": \"open\", \"count\": 12}", None),
            ("2024-01-31T10:20:30", None),
            ("[2024-01-31, 2024-02-01]", None),
            ("{1,2,3}", None),
            ("12:30", None),
        ] {
            assert_eq!(detect(text), expected, "{text}");
        }
    }

    #[test]
    fn numbers_are_distinguished() {
        for (text, is_card, is_number) in [
            ("4111111111111111", true, false),
            ("4111111111111111.00", true, false),
            ("378282246310005", true, true),
            ("5555555555554444", true, false),
            ("4111111111111112", false, false),
            ("4915112345671", false, true),
            ("2065559857", false, true),
            ("-4915112345671", false, false),
            // Seconds, milliseconds, dates, small numbers.
            ("1700000000", false, false),
            ("1700000000003", false, false),
            ("20240131102030", false, false),
            ("202401311020", false, false),
            ("123456789", false, false),
        ] {
            assert_eq!((detect_integer(text).is_some(), may_be_phone_number(text)), (is_card, is_number), "{text}");
        }
        for (number, is_one) in [
            (52.520_008, true),
            (-122.4194, true),
            (9.99, false),
            (0.333_333_333_333_333_3, false),
            (1_234.567_8, false),
            (7.0, false),
        ] {
            assert_eq!(is_degree(number, &number.to_string()), is_one, "{number}");
        }
    }
}
