//! The list of proposals, and what is ticked in it. New sources come first, then those with a new path.

use refdesk_desk::{Discovery, GoneSource, MovedSource, ProposedPlace, ProposedSource};
use refdesk_files::path::slashed;
use refdesk_text::escape::one_line;
use refdesk_text::tokens::grouped;

/// What is ticked, in the order of the list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ticks {
    ticked: Vec<bool>,
    /// The number of new sources.
    new: usize,
}

impl Ticks {
    /// As proposed.
    pub fn of(found: &Discovery) -> Self {
        let new = found.new.iter().map(|source| source.is_ticked);
        Self { ticked: new.chain(found.moved.iter().map(|_| true)).collect(), new: found.new.len() }
    }

    /// Whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.ticked.is_empty()
    }

    /// How many are ticked.
    pub fn count(&self) -> usize {
        self.ticked.iter().filter(|is_ticked| **is_ticked).count()
    }

    /// Whether each new source is ticked.
    pub fn of_new(&self) -> impl Iterator<Item = bool> {
        self.ticked.iter().take(self.new).copied()
    }

    /// The new sources that are ticked.
    pub fn added<'a>(&'a self, found: &'a Discovery) -> impl Iterator<Item = &'a ProposedSource> {
        found.new.iter().zip(self.of_new()).filter_map(|(source, is_ticked)| is_ticked.then_some(source))
    }

    /// The moved sources that are ticked.
    pub fn moved<'a>(&'a self, found: &'a Discovery) -> impl Iterator<Item = &'a MovedSource> {
        let ticked = self.ticked.iter().skip(self.new);
        found.moved.iter().zip(ticked).filter_map(|(source, is_ticked)| is_ticked.then_some(source))
    }

    /// Reverses the ticks of numbers and ranges (`3 5-8`, also with commas); `a` ticks all, `n` none.
    ///
    /// # Errors
    /// A sentence about the word that was not understood; nothing is changed.
    pub fn toggle(&mut self, line: &str) -> Result<(), String> {
        let mut ticked = self.ticked.clone();
        for word in line.split([' ', ',', '\t']).filter(|word| !word.is_empty()) {
            match word {
                "a" | "all" => ticked.fill(true),
                "n" | "none" => ticked.fill(false),
                word => {
                    let (from, to) = word.split_once('-').unwrap_or((word, word));
                    let range = from.parse::<usize>().ok().zip(to.parse::<usize>().ok());
                    let range = range.filter(|(from, to)| 1 <= *from && from <= to && *to <= ticked.len());
                    let Some((from, to)) = range else {
                        return Err(format!(
                            "'{}' is not a number or range from 1 to {}",
                            one_line(word),
                            ticked.len()
                        ));
                    };
                    ticked.iter_mut().take(to).skip(from - 1).for_each(|tick| *tick = !*tick);
                }
            }
        }
        self.ticked = ticked;
        Ok(())
    }
}

/// The list for people.
pub fn shown(found: &Discovery, ticks: &Ticks) -> String {
    let width = ticks.ticked.len().to_string().len();
    let mut text = String::new();
    for ((at, is_ticked), source) in ticks.ticked.iter().enumerate().zip(&found.new) {
        text.push_str(&head(at, width, *is_ticked, &source.id, &source.name, &price(source)));
        let place = match &source.place {
            ProposedPlace::Url(url) => url.clone(),
            ProposedPlace::File(path) => slashed(path),
            ProposedPlace::Folder(path) => format!("{}/", slashed(path)),
        };
        let tags =
            if source.tags.is_empty() { "no tags".to_owned() } else { format!("tags: {}", source.tags.join(", ")) };
        text.push_str(&line(width, &format!("{place}: {}", source.evidence)));
        text.push_str(&line(width, &tags));
    }
    for ((at, is_ticked), source) in ticks.ticked.iter().enumerate().skip(ticks.new).zip(&found.moved) {
        text.push_str(&head(at, width, *is_ticked, &source.id, "moved", ""));
        let message = format!("{} is now {}: {}", source.before, slashed(&source.after), source.evidence);
        text.push_str(&line(width, &message));
    }
    text.push_str(&gone(&found.gone));
    text.push_str(&format!("{} of {} ticked\n", ticks.count(), ticks.ticked.len()));
    text
}

fn price(source: &ProposedSource) -> String {
    match source.place {
        ProposedPlace::Url(_) => String::new(),
        _ => format!(", ~{} tokens", grouped(source.tokens)),
    }
}

fn head(at: usize, width: usize, is_ticked: bool, id: &str, name: &str, price: &str) -> String {
    let tick = if is_ticked { 'x' } else { ' ' };
    format!("{:>width$} [{tick}] {}  {}{price}\n", at + 1, one_line(id), one_line(name))
}

fn line(width: usize, text: &str) -> String {
    format!("{}{}\n", " ".repeat(width + 5), one_line(text))
}

/// The sources whose path no longer exists.
pub fn gone(gone: &[GoneSource]) -> String {
    let line = |source: &GoneSource| {
        let GoneSource { id, path, file } = source;
        let told = format!("gone: {id}, {path} does not exist (in {file}): `refdesk remove {id}` removes it");
        format!("{}\n", one_line(&told))
    };
    gone.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticks(ticked: &[bool]) -> Ticks {
        Ticks { ticked: ticked.to_vec(), new: ticked.len() }
    }

    #[test]
    fn numbers_and_ranges_reverse_ticks() {
        for (line, expected) in [
            ("1", Some([true, true, false, true])),
            ("2-4", Some([false, false, true, false])),
            ("1, 3 4", Some([true, true, true, false])),
            ("a", Some([true; 4])),
            ("none 2", Some([false, true, false, false])),
            ("1 1", Some([false, true, false, true])),
            ("5", None),
            ("0", None),
            ("3-2", None),
            ("1 x", None),
            ("-", None),
            ("99999999999999999999", None),
        ] {
            let mut found = ticks(&[false, true, false, true]);
            let outcome = found.toggle(line);
            assert_eq!(outcome.is_ok(), expected.is_some(), "{line}");
            assert_eq!(found.ticked, expected.unwrap_or([false, true, false, true]), "{line}");
        }
    }
}
