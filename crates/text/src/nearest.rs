//! Suggestions for misspelled names.

/// The most characters of a compared text: a longer one is not a name, and comparing it is slow.
const LONGEST: usize = 200;

/// The fewest characters by which a longer name is found.
const BEGINNING: usize = 3;

/// The known name nearest to `name`, if at most a third of its characters differ (optimal string alignment), or else
/// the only one that begins with it, ignoring case. Of equally near names, the first one. Any name of one character is
/// near any other, so only their case may differ.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = name.to_lowercase();
    let length = wanted.chars().take(LONGEST + 1).count();
    if length > LONGEST {
        return None;
    }
    let limit = if length > 1 { (length / 3).max(1) } else { 0 };
    let mut best: Option<(usize, &str)> = None;
    let (mut longer, mut others) = (None, 0);
    for candidate in known {
        if length >= BEGINNING && candidate.to_lowercase().starts_with(&wanted) {
            longer = longer.or(Some(candidate));
            others += 1;
        }
        if candidate.len().abs_diff(wanted.len()) > limit * 4 {
            continue;
        }
        let distance = strsim::osa_distance(&wanted, &candidate.to_lowercase());
        if distance <= limit && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate).or_else(|| longer.filter(|_| others == 1))
}

/// `did you mean 'x'?` for the nearest known name, if any.
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest(name, known).map(|near| format!("did you mean '{near}'?"))
}

/// ` (did you mean 'x'?)` for the nearest known name, or an empty text.
pub fn suggestion<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    did_you_mean(name, known).map_or_else(String::new, |question| format!(" ({question})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_enough_is_a_third_of_the_characters() {
        let known = ["tags", "name", "description", "fetchHint"];
        for (name, expected) in [
            ("tag", Some("tags")),
            ("Tags", Some("tags")),
            ("descripton", Some("description")),
            ("fetch_hint", Some("fetchHint")),
            ("desc", Some("description")),
            ("de", None),
            ("colour", None),
            ("", None),
        ] {
            assert_eq!(nearest(name, known), expected, "{name}");
        }
        assert_eq!(nearest("adr-0", ["adr-001-retry-of-calls", "adr-002-outbox-of-events"]), None, "it may be both");
        assert_eq!(nearest("ADR-001", ["adr-001-retry-of-calls", "adr-002-outbox"]), Some("adr-001-retry-of-calls"));
        for (name, expected) in [("b", None), ("A", Some("did you mean 'a'?")), ("usd", Some("did you mean 'usb'?"))] {
            assert_eq!(did_you_mean(name, ["a", "usb"]).as_deref(), expected, "{name}");
        }
        let long = "x".repeat(LONGEST + 1);
        assert_eq!(nearest(&long, [long.as_str()]), None);
    }
}
