//! The placeholders of a format: which of them insert a value as it is, and which format a number.

use minijinja::machinery::ast::{CallArg, Expr};

use super::scope::values_of;

/// The placeholders of `'%s: %.2f'` or `'{}: {:.2f}'`, in order.
pub(super) struct Placeholders<'f> {
    /// The name, index or nothing by which each takes its value, and whether it formats a number.
    fields: Vec<(&'f str, bool)>,
}

impl<'f> Placeholders<'f> {
    /// Those of a format with percent signs.
    pub(super) fn of_percents(format: &'f str) -> Self {
        let mut fields = Vec::new();
        let mut rest = format;
        while let Some((_, after)) = rest.split_once('%') {
            let (name, after) = after.strip_prefix('(').and_then(|named| named.split_once(')')).unwrap_or(("", after));
            let is_flag = |c: char| c.is_ascii_digit() || "#+- .*".contains(c);
            let (flags, kind) = after.split_at(after.find(|c| !is_flag(c)).unwrap_or(after.len()));
            // A width of `*` is a value of its own.
            fields.extend(flags.matches('*').map(|_| ("", true)));
            let kind = kind.chars().next();
            if kind.is_some_and(|kind| kind != '%') {
                fields.push((name, !matches!(kind, Some('s' | 'r' | 'a' | 'c'))));
            }
            rest = after.get(flags.len() + kind.map_or(0, char::len_utf8)..).unwrap_or_default();
        }
        Self { fields }
    }

    /// Those of a format with braces.
    pub(super) fn in_braces(format: &'f str) -> Self {
        let mut fields = Vec::new();
        let mut rest = format;
        while let Some((_, after)) = rest.split_once('{') {
            if let Some(literal) = after.strip_prefix('{') {
                rest = literal;
                continue;
            }
            let (inside, after) = after.split_once('}').unwrap_or((after, ""));
            let (field, spec) = inside.split_once(':').unwrap_or((inside, ""));
            let name = field.split(['.', '[', '!']).next().unwrap_or_default();
            fields.push((name, formats_number(spec)));
            rest = after;
        }
        Self { fields }
    }

    /// Each argument of a call with the position of its placeholder.
    pub(super) fn places<'e, 'a>(&self, args: &'e [CallArg<'a>]) -> Vec<(usize, &'e Expr<'a>)> {
        let place = |at: usize, arg: &CallArg<'_>| match arg {
            CallArg::Kwarg(name, _) => self.fields.iter().position(|(field, _)| field == name),
            _ => self.fields.iter().position(|(field, _)| field.parse() == Ok(at)).or(Some(at)),
        };
        let places = args.iter().enumerate().map(|(at, arg)| place(at, arg).unwrap_or(usize::MAX));
        places.zip(values_of(args)).collect()
    }

    /// Whether the placeholder at this position formats a number.
    pub(super) fn wants_number(&self, at: usize) -> bool {
        self.fields.get(at).is_some_and(|(_, is_number)| *is_number)
    }
}

/// Whether this specification is one for numbers: not empty, not `>8` and not `8s`.
fn formats_number(spec: &str) -> bool {
    let filled = |spec: &str| spec.trim_end_matches(|c: char| c.is_ascii_digit()).ends_with(['<', '>', '^']);
    !spec.is_empty() && !spec.ends_with('s') && !filled(spec)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn which_placeholders_format_numbers() {
        for (format, expected) in [
            ("", &[][..]),
            ("%s: %d items", &[("", false), ("", true)]),
            ("100%% of %s, %%d", &[("", false)]),
            ("%(a)5.1f %(b)s %r", &[("a", true), ("b", false), ("", false)]),
            ("%*d %", &[("", true), ("", true)]),
        ] {
            assert_eq!(Placeholders::of_percents(format).fields, expected, "{format}");
        }
        for (format, expected) in [
            ("{} {:d} {{:d}}", &[("", false), ("", true)][..]),
            (
                "{0:.2f} {name!r:>8} {a.b:x>10} {c:5} {d:8s} {",
                &[("0", true), ("name", false), ("a", false), ("c", true), ("d", false), ("", false)],
            ),
        ] {
            assert_eq!(Placeholders::in_braces(format).fields, expected, "{format}");
        }
    }
}
