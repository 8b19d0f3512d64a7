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
            let is_flag = |c: char| c.is_ascii_digit() || "#+- .*hlL".contains(c);
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
            let (inside, mut after) = after.split_once('}').unwrap_or((after, ""));
            let (field, mut spec) = inside.split_once(':').unwrap_or((inside, ""));
            let name = field.split(['.', '[', '!']).next().unwrap_or_default();
            let mut inner = Vec::new();
            // The width in `{:{width}.2f}` is a value of its own.
            while let Some((_, width)) = spec.split_once('{') {
                inner.push((width, false));
                (spec, after) = after.split_once('}').unwrap_or((after, ""));
            }
            fields.push((name, formats_number(spec)));
            fields.extend(inner);
            rest = after;
        }
        Self { fields }
    }

    /// Each argument of a call, and whether a placeholder formats it as a number.
    pub(super) fn filled_by<'e, 'a>(&self, args: &'e [CallArg<'a>]) -> Vec<(bool, &'e Expr<'a>)> {
        let is_number = |(at, arg): (usize, &CallArg<'_>)| match arg {
            CallArg::Kwarg(name, _) => self.wants_number(at, Some(name)),
            _ => self.wants_number(at, None),
        };
        args.iter().enumerate().map(is_number).zip(values_of(args)).collect()
    }

    /// Whether a placeholder formats the value with this name, or the one at this position, as a number.
    pub(super) fn wants_number(&self, at: usize, name: Option<&str>) -> bool {
        let mut without_name = self.fields.iter().filter(|(field, _)| field.is_empty());
        let next = if name.is_none() { without_name.nth(at) } else { None };
        let is_its = |field: &str| name.map_or_else(|| field.parse() == Ok(at), |name| field == name);
        next.into_iter().chain(self.fields.iter().filter(|(field, _)| is_its(field))).any(|(_, is_number)| *is_number)
    }
}

/// Whether this specification works only for numbers: `.2f`, `+`, `05` and `,`, but not `>8`, `8` and `8s`.
fn formats_number(spec: &str) -> bool {
    let is_align = |c: &char| matches!(c, '<' | '>' | '^' | '=');
    let aligned = spec.char_indices().take(2).filter(|(_, c)| is_align(c)).last();
    let rest = aligned.and_then(|(at, _)| spec.get(at + 1..)).unwrap_or(spec);
    rest.starts_with(['+', '-', ' ', '#', '0']) || rest.ends_with(|c: char| "bdoxXeEfFgGn%,_".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn which_values_are_formatted_as_numbers() {
        let percents = Placeholders::of_percents("%(n)s %(p)05.1f");
        assert_eq!(["n", "p"].map(|name| percents.wants_number(1, Some(name))), [false, true]);
        for (format, expected) in [("{n} {:.2f} {}", [true, false]), ("{1} {1:.1f} {0}", [false, true])] {
            let braces = Placeholders::in_braces(format);
            assert_eq!([0, 1].map(|at| braces.wants_number(at, None)), expected, "{format}");
        }
    }

    #[test]
    fn which_placeholders_format_numbers() {
        for (format, expected) in [
            ("", &[][..]),
            ("%s: %d items", &[("", false), ("", true)]),
            ("100%% of %s, %%d", &[("", false)]),
            ("%(a)5.1f %(b)s %r", &[("a", true), ("b", false), ("", false)]),
            ("%*d %ld %ls %", &[("", true), ("", true), ("", true), ("", false)]),
        ] {
            assert_eq!(Placeholders::of_percents(format).fields, expected, "{format}");
        }
        for (format, expected) in [
            ("{} {:d} {{:d}}", &[("", false), ("", true)][..]),
            (
                "{0:.2f} {name!r:>8} {a.b:x>10} {c:5} {d:8s} {",
                &[("0", true), ("name", false), ("a", false), ("c", false), ("d", false), ("", false)],
            ),
            ("{:05} {:*>+9} {:,} {:.3}", &[("", true), ("", true), ("", true), ("", false)]),
            ("{:{w}.{p}f} {}", &[("", true), ("w", false), ("p", false), ("", false)]),
        ] {
            assert_eq!(Placeholders::in_braces(format).fields, expected, "{format}");
        }
    }
}
