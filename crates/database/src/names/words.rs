//! The words of a name: split at `_`, case and digits, with abbreviations expanded and plurals made singular.

use super::file_names::is_device;
use refdesk_text::Code;
use refdesk_text::report::Diagnostic;
use refdesk_text::shorten::beginning;
use unicode_normalization::UnicodeNormalization;

/// Abbreviations with the same meaning in nearly all schemas.
const ABBREVIATIONS: &[(&str, &str)] = &[
    ("acct", "account"),
    ("addr", "address"),
    ("amt", "amount"),
    ("avg", "average"),
    ("cat", "category"),
    ("cd", "code"),
    ("cfg", "configuration"),
    ("cnt", "count"),
    ("cust", "customer"),
    ("dept", "department"),
    ("desc", "description"),
    ("descr", "description"),
    ("dob", "date of birth"),
    ("dt", "date"),
    ("dur", "duration"),
    ("emp", "employee"),
    ("fk", "foreign key"),
    ("hdr", "header"),
    ("img", "image"),
    ("inv", "invoice"),
    ("lang", "language"),
    ("loc", "location"),
    ("max", "maximum"),
    ("mgr", "manager"),
    ("min", "minimum"),
    ("msg", "message"),
    ("nbr", "number"),
    ("no", "number"),
    ("num", "number"),
    ("ord", "order"),
    ("org", "organisation"),
    ("pct", "percent"),
    ("pmt", "payment"),
    ("pk", "primary key"),
    ("prod", "product"),
    ("pwd", "password"),
    ("qry", "query"),
    ("qty", "quantity"),
    ("ref", "reference"),
    ("req", "request"),
    ("seq", "sequence"),
    ("stat", "status"),
    ("tel", "telephone"),
    ("tmp", "temporary"),
    ("ts", "time"),
    ("txn", "transaction"),
    ("uom", "unit of measure"),
    ("usr", "user"),
    ("val", "value"),
    ("vw", "view"),
];

/// Words that end in `s` and are singular or have no singular. Words ending in `ss`, `us` and `is` need not be listed.
const SINGULAR: &[&str] = &[
    "access", "address", "alias", "atlas", "aws", "bias", "canvas", "chaos", "cosmos", "details", "dns", "gas",
    "goods", "gps", "has", "https", "lens", "means", "news", "sales", "series", "sms", "species", "stats", "terms",
    "was",
];

/// Irregular plurals.
const IRREGULAR: &[(&str, &str)] = &[
    ("analyses", "analysis"),
    ("axes", "axis"),
    ("children", "child"),
    ("crises", "crisis"),
    ("diagnoses", "diagnosis"),
    ("halves", "half"),
    ("hypotheses", "hypothesis"),
    ("indices", "index"),
    ("knives", "knife"),
    ("matrices", "matrix"),
    ("men", "man"),
    ("people", "person"),
    ("quizzes", "quiz"),
    ("shelves", "shelf"),
    ("theses", "thesis"),
    ("vertices", "vertex"),
    ("wives", "wife"),
    ("women", "woman"),
];

/// Words whose plural only adds an `s`, although its ending suggests otherwise: `movies`, unlike `categories`.
const PLAIN: &[&str] = &[
    "abuse", "ache", "alibi", "cache", "calorie", "canoe", "cookie", "emoji", "excuse", "fuse", "guru", "hoodie",
    "kiwi", "menu", "movie", "niche", "pie", "selfie", "shoe", "taxi", "tie", "toe", "zombie",
];

/// The words of a name, in lower case: `OrderLine2_qty` is `order`, `line`, `2`, `qty`. A letter with a combining
/// accent becomes one character, so that the database's normalization does not matter.
pub fn split(name: &str) -> Vec<String> {
    // Most names are ASCII, and normalizing takes longer than everything else here.
    let chars: Vec<char> = if name.is_ascii() { name.chars().collect() } else { name.nfc().collect() };
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut before: Option<char> = None;
    for (at, c) in chars.iter().copied().enumerate() {
        if !c.is_alphanumeric() {
            words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
            before = None;
            continue;
        }
        let next_is_lower = chars.get(at + 1).is_some_and(|next| next.is_lowercase());
        let is_boundary = before.is_some_and(|before| {
            before.is_numeric() != c.is_numeric()
                || (before.is_lowercase() && c.is_uppercase())
                || (before.is_uppercase() && c.is_uppercase() && next_is_lower)
        });
        if is_boundary && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        word.extend(c.to_lowercase());
        before = Some(c);
    }
    words.extend((!word.is_empty()).then_some(word));
    words
}

/// The singular of an English word; other words are unchanged.
pub fn singular(word: &str) -> String {
    if let Some((_, singular)) = IRREGULAR.iter().find(|(plural, _)| *plural == word) {
        return (*singular).to_owned();
    }
    let Some(without_s) = word.strip_suffix('s').filter(|_| word.len() > 3 && !SINGULAR.contains(&word)) else {
        return word.to_owned();
    };
    if PLAIN.contains(&without_s) {
        return without_s.to_owned();
    }
    if let Some(stem) = word.strip_suffix("ies") {
        return if stem.len() < 2 { word.to_owned() } else { format!("{stem}y") };
    }
    match without_s.strip_suffix('e') {
        // `addresses`, `boxes`, `matches`, `heroes`.
        Some(stem) if ["ss", "x", "ch", "sh", "zz", "o"].iter().any(|end| stem.ends_with(end)) => stem.to_owned(),
        // `statuses`, but `houses` and `causes`.
        Some(stem) if SINGULAR.contains(&stem) || is_latin(stem) => stem.to_owned(),
        _ if ["s", "u", "i"].iter().any(|end| without_s.ends_with(end)) => word.to_owned(),
        _ => without_s.to_owned(),
    }
}

/// Whether a word ends like `status`: in `us`, without a preceding vowel except the `i` of `radius`.
fn is_latin(word: &str) -> bool {
    let before = word.strip_suffix("us").and_then(|stem| stem.chars().next_back());
    before.is_some_and(|before| !matches!(before, 'a' | 'e' | 'o' | 'u'))
}

/// The words of a name with abbreviations expanded, for a sentence: `cust_addr` is `customer address`.
pub fn readable_name(name: &str) -> String {
    let words = split(name);
    let lower = name.to_lowercase();
    let is_number = |word: &str| word.chars().all(char::is_numeric);
    let long = |word: &str| ABBREVIATIONS.iter().find(|(short, _)| *short == word).map(|(_, long)| *long);
    let mut readable_name = String::new();
    let mut before: Option<&str> = None;
    for (at, word) in words.iter().enumerate() {
        // `no_show` and `is_no_reply` say no; `invoice_no`, `no_2`, `no_of_items` and `serial_no_old` are numbers.
        let follows_verb =
            at.checked_sub(1).and_then(|at| words.get(at)).is_none_or(|word| ["is", "has"].contains(&word.as_str()));
        let is_before_number = |next: &String| is_number(next) || ["of", "id", "ref"].contains(&next.as_str());
        let is_no = word == "no" && follows_verb && words.get(at + 1).is_some_and(|next| !is_before_number(next));
        // `t103` and `3d` are one word, `line2` is two.
        let is_one = before.is_some_and(|before| {
            let (letters, most) = if is_number(word) { (before, NUMBERED) } else { (word.as_str(), ORDINAL) };
            is_number(before) != is_number(word)
                && letters.chars().count() <= most
                && long(letters).is_none()
                && lower.contains(&format!("{before}{word}"))
        });
        readable_name.push_str(if before.is_none() || is_one { "" } else { " " });
        readable_name.push_str(long(word).filter(|_| !is_no).unwrap_or(word));
        before = Some(word);
    }
    readable_name
}

/// The maximum length of a word that forms one word with a following number.
const NUMBERED: usize = 3;

/// The maximum length of a word that forms one word with a preceding number.
const ORDINAL: usize = 2;

/// The words of a name in the singular, without a last word that only marks a key.
pub(crate) fn stem(name: &str) -> Vec<String> {
    let stem = |word: &String| match word.as_str() {
        // In `sales order`, it is an adjective.
        "sales" => "sale".to_owned(),
        word => singular(word),
    };
    split(name).iter().map(stem).collect()
}

/// Most characters of a slug.
const SLUG: usize = 48;

/// A text as part of a path or an id: lower-case letters, digits and single hyphens; empty if nothing is left, or only the
/// name of a device, which no folder may have.
pub fn slug(text: &str) -> String {
    let plain = |word: String| -> String { word.chars().filter(char::is_ascii_alphanumeric).collect() };
    let words: Vec<String> = split(text).into_iter().map(plain).filter(|word| !word.is_empty()).collect();
    let slug = words.join("-");
    Some(beginning(&slug, SLUG).trim_end_matches('-').to_owned()).filter(|slug| !is_device(slug)).unwrap_or_default()
}

/// The name that a person gives a domain, as paths and ids have it: lower case, with hyphens for spaces and underscores.
///
/// # Errors
/// It has characters that a path or an id cannot have.
pub(crate) fn domain_name(text: &str) -> Result<String, Diagnostic> {
    let name = text.trim().to_lowercase().replace([' ', '_'], "-");
    if is_domain(&name) { Ok(name) } else { Err(not_a_domain(text)) }
}

/// Whether a domain may have this name.
pub(crate) fn is_domain(text: &str) -> bool {
    is_slug(text) && !is_device(text)
}

/// The problem of a text that is not a domain's name.
pub(crate) fn not_a_domain(text: &str) -> Diagnostic {
    let rule = if is_device(text) { "Windows reserves it for a device" } else { "use lower-case words with hyphens" };
    let message = format!("'{text}' is not a valid name for a domain: {rule}");
    Diagnostic::error(Code::UnknownValue, message)
}

/// Whether a text can be part of a path or an id as [`slug`] writes them, whatever its words: a domain may be named
/// after a hash.
pub(crate) fn is_slug(text: &str) -> bool {
    let is_word =
        |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    text.len() <= SLUG && text.split('-').all(is_word)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_are_split_at_case_digits_and_signs() {
        for (name, expected) in [
            ("OrderLine2_qty", "order line 2 qty"),
            ("customer_id", "customer id"),
            ("HTTPServerURL", "http server url"),
            ("CustomerID", "customer id"),
            ("Order Details", "order details"),
            ("straßeNr", "straße nr"),
            ("__x--y__", "x y"),
            ("", ""),
            ("ÄnderungsDatum", "änderungs datum"),
        ] {
            assert_eq!(split(name).join(" "), expected, "{name}");
        }
    }

    #[test]
    fn plurals_become_singular() {
        for (word, expected) in [
            ("orders", "order"),
            ("categories", "category"),
            ("addresses", "address"),
            ("statuses", "status"),
            ("status", "status"),
            ("boxes", "box"),
            ("matches", "match"),
            ("cases", "case"),
            ("classes", "class"),
            ("territories", "territory"),
            ("id", "id"),
            ("employees", "employee"),
            ("prices", "price"),
            ("sales", "sales"),
            ("buses", "bus"),
            ("bonuses", "bonus"),
            ("radiuses", "radius"),
            ("houses", "house"),
            ("causes", "cause"),
            ("excuses", "excuse"),
            ("aliases", "alias"),
            ("alias", "alias"),
            ("lens", "lens"),
            ("lenses", "lens"),
            ("licenses", "license"),
            ("databases", "database"),
            ("processes", "process"),
            ("branches", "branch"),
            ("caches", "cache"),
            ("dishes", "dish"),
            ("taxes", "tax"),
            ("indexes", "index"),
            ("indices", "index"),
            ("analyses", "analysis"),
            ("sizes", "size"),
            ("quizzes", "quiz"),
            ("heroes", "hero"),
            ("shoes", "shoe"),
            ("movies", "movie"),
            ("ties", "tie"),
            ("series", "series"),
            ("news", "news"),
            ("people", "person"),
            ("children", "child"),
            ("archives", "archive"),
            ("us", "us"),
            ("gas", "gas"),
            ("gases", "gas"),
            ("employee", "employee"),
        ] {
            assert_eq!(singular(word), expected, "{word}");
        }
    }

    /// `status_id` and `statuses` are compared by their singulars, so a singular must be its own singular.
    #[test]
    fn a_singular_stays() {
        let known = SINGULAR.iter().chain(PLAIN).chain(IRREGULAR.iter().map(|(_, singular)| singular));
        for word in known.chain(&["address", "status", "bus", "box", "match", "category", "house", "virus", "basis"]) {
            assert_eq!(singular(word), *word);
        }
    }

    #[test]
    fn slugs_are_safe_in_paths() {
        for (text, expected) in [
            ("Order Details", "order-details"),
            ("../../x", "x"),
            ("日本", ""),
            ("a|b", "a-b"),
            ("CON", ""),
            ("CONS", "cons"),
        ] {
            assert_eq!(slug(text), expected);
        }
        for (name, expected) in [
            ("cust_addr_qty", "customer address quantity"),
            ("t103_bill", "t103 bill"),
            ("x3", "x3"),
            ("md5Hash", "md5 hash"),
            ("3d_model", "3d model"),
            ("2nd_address", "2nd address"),
            ("OrderLine2", "order line 2"),
            ("no_show", "no show"),
            ("is_no_reply", "is no reply"),
            ("no_of_items", "number of items"),
            ("NoOfRooms", "number of rooms"),
            ("serial_no_old", "serial number old"),
            ("no_id", "number id"),
            ("invoice_no", "invoice number"),
            ("max_no", "maximum number"),
            ("no", "number"),
            ("no2", "number 2"),
            ("room_no_3", "room number 3"),
            ("addr2", "address 2"),
            ("t_103", "t 103"),
            ("-->", ""),
        ] {
            assert_eq!(readable_name(name), expected, "{name}");
        }
    }

    #[test]
    fn a_slug_has_lower_case_words_with_hyphens() {
        for text in ["sales", "order-2-items", "group-0e8d78"] {
            assert!(is_slug(text), "{text}");
        }
        for text in ["", "-a", "a-", "a--b", "A", "a_b", "../a", "a/b", "\u{e9}"] {
            assert!(!is_slug(text), "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_slug_is_told_from_other_texts(text in "[a-c0-2A-Bé_-]{0,6}|[a-z-]{44,52}") {
            let slug = slug(&text);
            prop_assert!(slug.is_empty() || is_slug(&slug));
        }
    }
}
