//! Removes a member from an object or a list, with its line and comma; comments and everything else stay.

use super::text::{Container, begins_line, comma, part};

/// The text without the member at this index of the container.
pub(super) fn cut(text: &str, from: &Container, at: usize) -> String {
    let Some(&(start, end)) = from.members.get(at) else { return text.to_owned() };
    if from.is_sole(text) {
        return format!("{}{}", part(text, 0, from.start), part(text, from.end, text.len()));
    }
    let before = at.checked_sub(1).and_then(|at| from.members.get(at)).map(|(_, end)| *end);
    let next = from.members.get(at + 1).map(|(start, _)| *start);
    let after = comma(text, end, next.unwrap_or(from.end));
    // The comma to remove: the one after the member, else, for a last member, the one before it.
    let comma = after.or_else(|| before.and_then(|before| comma(text, before, start)));
    let (mut left, mut right) = (start, end);
    let own = comma.filter(|comma| *comma == end);
    right += own.map_or(0, |_| 1);
    let blanks = |text: &str| text.len() - text.trim_start_matches([' ', '\t']).len();
    let rest = part(text, right, text.len());
    let ends_line = rest.get(blanks(rest)..).is_some_and(|rest| rest.starts_with(['\n', '\r']));
    if begins_line(text, start) && ends_line {
        // Remove whole lines, with the line break before them: the one after may now end a comment of the previous
        // line.
        let head = part(text, 0, start).trim_end_matches([' ', '\t']);
        left = head.strip_suffix('\n').map_or(head.len(), |head| head.strip_suffix('\r').unwrap_or(head).len());
    } else if next.is_some() {
        right += blanks(rest);
    } else {
        left = part(text, 0, start).trim_end_matches([' ', '\t']).len();
    }
    let mut cuts = vec![(left, right)];
    if let Some(comma) = comma.filter(|comma| own.is_none() && !(left..right).contains(comma)) {
        cuts.push((comma, comma + 1));
    }
    cuts.sort_unstable();
    let mut whole = String::with_capacity(text.len());
    let mut from = 0;
    for (start, end) in cuts {
        whole.push_str(part(text, from, start));
        from = end;
    }
    whole.push_str(part(text, from, text.len()));
    whole
}

#[cfg(test)]
mod tests {
    use super::super::text::parse;
    use super::*;

    #[test]
    fn a_member_is_removed_with_its_line_and_comma() {
        // The member to remove is `x`; the text is a list.
        for (text, left) in [
            ("[x]", "[]"),
            ("[ x ]", "[]"),
            ("[\n  x\n]", "[]"),
            ("[\n  x,\n]", "[]"),
            ("[1, x]", "[1]"),
            ("[x, 1]", "[1]"),
            ("[1, x, 2]", "[1, 2]"),
            ("[1,x,2]", "[1,2]"),
            ("[1, x,]", "[1,]"),
            ("[\n  1,\n  x\n]", "[\n  1\n]"),
            ("[\n  x,\n  1\n]", "[\n  1\n]"),
            ("[\n  1,\n  x,\n  2\n]", "[\n  1,\n  2\n]"),
            ("[\r\n\t1,\r\n\tx\r\n]", "[\r\n\t1\r\n]"),
            ("[\n  1,\n  x,\n]", "[\n  1,\n]"),
            ("[\n  1, // one\n  x\n]", "[\n  1 // one\n]"),
            ("[\n  1,\n  x // ours\n]", "[\n  1\n // ours\n]"),
            ("[\n  1,\n  x, // ours\n  2\n]", "[\n  1,\n  // ours\n  2\n]"),
            ("[\n  1,\n  // ours\n  x\n]", "[\n  1\n  // ours\n]"),
            ("[\n  1,\n  x]", "[\n  1\n]"),
            ("[\n  // ours\n  x]", "[\n  // ours\n]"),
            ("[\n  // ours\n  x\n]", "[\n  // ours\n]"),
            ("[1, /* , */ x]", "[1 /* , */]"),
            ("[x /* , */, 1]", "[/* , */ 1]"),
            ("[\n  1, x,\n  2\n]", "[\n  1, \n  2\n]"),
        ] {
            let real = text.replace('x', "true");
            let value = parse(&real).unwrap().unwrap();
            let list = value.as_array().unwrap();
            let at = list.elements.iter().position(|it| it.as_boolean_lit().is_some()).unwrap();
            let cut = cut(&real, &Container::of_list(list), at);
            assert_eq!(cut, left, "{text}");
            parse(&cut).unwrap();
        }
    }
}
