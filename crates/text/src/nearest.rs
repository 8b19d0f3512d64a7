//! Suggestions for misspelled names.

/// Longer texts are not compared: they are not names, and comparing them is slow.
const LONGEST: usize = 200;

/// The known name nearest to `name`, if at most a third of its characters differ (optimal string alignment), ignoring
/// case. Of equally near ones, the first.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = name.to_lowercase();
    let length = wanted.chars().take(LONGEST + 1).count();
    if length > LONGEST {
        return None;
    }
    let limit = (length / 3).max(1);
    let mut best: Option<(usize, &str)> = None;
    for candidate in known {
        if candidate.len().abs_diff(wanted.len()) > limit * 4 {
            continue;
        }
        let distance = strsim::osa_distance(&wanted, &candidate.to_lowercase());
        if distance <= limit && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// `did you mean 'x'?` for the nearest known name, or nothing.
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest(name, known).map(|candidate| format!("did you mean '{candidate}'?"))
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
            ("colour", None),
            ("", None),
        ] {
            assert_eq!(nearest(name, known), expected, "{name}");
        }
        let long = "x".repeat(LONGEST + 1);
        assert_eq!(nearest(&long, [long.as_str()]), None);
    }
}
