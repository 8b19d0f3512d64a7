//! Tracks questions to the engine, so that answers to outdated ones are dropped.

use std::collections::HashMap;
use std::mem::{Discriminant, discriminant};

use refdesk_desk::engine::Request;

/// A question that is asked again when its subject changes, and its latest answer.
#[derive(Debug, Clone)]
pub struct Lookup<T> {
    /// The subject of the latest question, and the generation of the snapshot.
    pub about: Option<(String, u64)>,
    pub answer: Option<T>,
    /// The generation for which the answer was asked.
    pub answered_at: Option<u64>,
}

impl<T> Default for Lookup<T> {
    fn default() -> Self {
        Self { about: None, answer: None, answered_at: None }
    }
}

impl<T> Lookup<T> {
    /// Sets the subject. Returns whether the question has to be asked.
    pub fn ask(&mut self, about: Option<(&str, u64)>) -> bool {
        let about = about.map(|(id, at)| (id.to_owned(), at));
        if self.about == about {
            return false;
        }
        let same = self.about.as_ref().map(|(id, _)| id) == about.as_ref().map(|(id, _)| id);
        if !same {
            self.answer = None;
        }
        self.about = about;
        self.about.is_some()
    }

    /// Stores the answer, unless there is no subject any more.
    pub fn take(&mut self, answer: T) {
        self.answered_at = self.about.as_ref().map(|(_, at)| *at);
        self.answer = self.about.is_some().then_some(answer);
    }
}

/// The latest question of each kind; answers to older ones are dropped.
#[derive(Debug, Clone, Default)]
pub struct Questions {
    asked: u64,
    newest: HashMap<Discriminant<Request>, u64>,
}

impl Questions {
    pub fn note(&mut self, request: &Request) {
        self.asked += 1;
        self.newest.insert(discriminant(request), self.asked);
    }

    /// The number of the latest question of this kind; `None` for a change, whose answer is never outdated.
    pub fn number(&self, request: &Request) -> Option<u64> {
        self.newest.get(&discriminant(request)).copied().filter(|_| !request.is_change())
    }

    /// Whether the answer to this question is still needed.
    pub fn is_wanted(&self, question: Option<u64>) -> bool {
        question.is_none_or(|question| self.newest.values().any(|newest| *newest == question))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_newest_question_of_each_kind_is_wanted() {
        let mut questions = Questions::default();
        let [j, ja, read] =
            [Request::Match("j".into()), Request::Match("ja".into()), Request::Read { id: "a".into(), file: None }];
        let mut ask = |request| {
            questions.note(request);
            questions.number(request)
        };
        let [first, read, second] = [&j, &read, &ja].map(&mut ask);
        assert_eq!(ask(&Request::Clear), None);
        for (question, wanted) in [(first, false), (read, true), (second, true), (None, true)] {
            assert_eq!(questions.is_wanted(question), wanted, "{question:?}");
        }
    }
}
