//! Limits the problems listed for one file: a hostile file may have a million, far more than anyone reads.

use super::{Diagnostic, Severity};
use crate::Code;
use crate::tokens::grouped;

/// The most problems listed per file; they take about ten megabytes.
pub const LISTED: usize = 10_000;

/// The problems of a file in order: the first errors, the first warnings, and the number of others.
#[derive(Debug, Default)]
pub struct ListedProblems {
    listed: Vec<Diagnostic>,
    errors: usize,
    /// Counts the others.
    rest: Option<Diagnostic>,
}

impl ListedProblems {
    /// Adds a problem at the end.
    pub fn push(&mut self, problem: Diagnostic) {
        let errors = usize::from(problem.is_error());
        let alike = if problem.is_error() { self.errors } else { self.listed.len() - self.errors };
        if alike < LISTED {
            self.errors += errors;
            return self.listed.push(problem);
        }
        let (severity, count) = match &self.rest {
            Some(rest) => (rest.severity.min(problem.severity), rest.count + problem.count),
            None => (problem.severity, problem.count),
        };
        let file = self.rest.take().map_or(problem.file, |rest| rest.file);
        self.rest = Some(Diagnostic { file, ..of_rest(severity, count) });
    }

    /// The listed problems; if there are others, the last item counts them.
    pub fn into_vec(self) -> Vec<Diagnostic> {
        let Self { mut listed, rest, .. } = self;
        listed.extend(rest);
        listed
    }
}

impl Extend<Diagnostic> for ListedProblems {
    fn extend<T: IntoIterator<Item = Diagnostic>>(&mut self, problems: T) {
        problems.into_iter().for_each(|problem| self.push(problem));
    }
}

/// The diagnostic that counts unlisted problems; `severity` is the worst of theirs.
pub fn of_rest(severity: Severity, count: usize) -> Diagnostic {
    let are = if count == 1 { "problem is" } else { "problems are" };
    let message = format!("{} more {are} not listed", grouped(count));
    let problem = Diagnostic::new(severity, Code::TooManyProblems, message);
    Diagnostic { count, ..problem }.fix("fix the listed problems first; the rest will then be listed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_beyond_the_limit_are_counted() {
        let problem = |_| Diagnostic::warning(Code::UnknownKey, "wrong");
        for (count, expected) in [
            (0, None),
            (LISTED, None),
            (LISTED + 1, Some((Severity::Warning, "1 more problem is not listed"))),
            (10_500, Some((Severity::Warning, "500 more problems are not listed"))),
            (13_000, Some((Severity::Warning, "3,000 more problems are not listed"))),
        ] {
            let mut problems = ListedProblems::default();
            problems.extend((0..count).map(|at| problem(at).in_file("a.json")));
            let problems = problems.into_vec();
            let last = problems.get(LISTED);
            assert_eq!(last.map(|it| (it.severity, it.message.as_str())), expected, "{count}");
            assert!(problems.iter().all(|it| it.file.as_deref() == Some("a.json")));
            assert_eq!(problems.len(), count.min(LISTED) + usize::from(expected.is_some()));
        }
        let mut problems = ListedProblems::default();
        problems.extend((0..20_000).map(problem));
        problems.extend((0..3).map(|_| Diagnostic::error(Code::NotAnObject, "wrong")));
        let problems = problems.into_vec();
        assert_eq!(problems.iter().filter(|it| it.is_error()).count(), 3, "no warning hides an error");
    }
}
