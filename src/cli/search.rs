//! `refdesk search`: sections of the documents by words and by meaning.

use std::ops::Range;

use serde_json::json;

use super::answer::CommandOutput;
use super::args::SearchArgs;
use super::rows::as_note;
use refdesk_desk::{
    Desk, HitRank, SEARCH_COMMAND, SearchAnswer, SearchHit, SearchMode, SearchReader, SearchRequest, SearchScope,
    Session,
};
use refdesk_text::Error;
use refdesk_text::escape::{one_line, visible};
use refdesk_text::tokens::{self, counted, grouped};

/// Prints the best sections, and records in the journal what was shown.
pub fn run(desk: &mut Desk, session: &Session, args: &SearchArgs) -> Result<CommandOutput, Error> {
    let request = SearchRequest {
        kinds: args.kinds.clone(),
        by_table: args.kinds.is_empty(),
        sources: args.sources.clone(),
        tags: args.tags.clone(),
        database: args.database.clone(),
        domain: args.domain.clone(),
        among: if args.selected { SearchScope::Selected } else { SearchScope::All },
        limit: usize::from(args.limit),
        ..SearchRequest::new(args.query.join(" "), SearchReader::Person)
    };
    let desk = &desk.settled();
    let mut answer = desk.search(session, &request)?;
    // The last line, with the most tokens that it can name.
    let frame = summary(&SearchAnswer { tokens_used: args.max_tokens.unwrap_or(0), ..answer.clone() }).len();
    answer.fit(args.max_tokens, tokens::of_prose(frame as u64), |hit| {
        let mut printed = Printed::default();
        printed.add_hit(hit, args.explain);
        printed.text.len()
    });
    let mut printed = Printed::default();
    printed.add_answer(&answer, args.explain);
    desk.note_reading(session, answer.receipt(SEARCH_COMMAND, printed.text.len()));
    let is_old = answer.partial.is_some_and(|partial| partial.changed > 0 || partial.unread > 0);
    let fix = is_old.then(|| "`refdesk index` updates the index".to_owned());
    Ok(CommandOutput {
        notes: answer.notes.iter().map(|note| as_note(note)).chain(fix).collect(),
        emphasised: printed.emphasised,
        ..CommandOutput::new(json!(answer), printed.text)
    })
}

/// Text with the words to emphasise.
#[derive(Default)]
struct Printed {
    text: String,
    emphasised: Vec<Range<usize>>,
}

impl Printed {
    fn add_answer(&mut self, answer: &SearchAnswer, explain: bool) {
        if answer.hits.is_empty() {
            if !answer.explains_no_hits {
                self.text.push_str("Nothing found.\n");
            }
            return;
        }
        for hit in &answer.hits {
            self.add_hit(hit, explain);
        }
        self.text.push_str(&summary(answer));
    }

    /// The hit as [`SearchHit::to_text`] prints it, how it was found, and a blank line.
    fn add_hit(&mut self, hit: &SearchHit, explain: bool) {
        let head = hit.heading_and_place();
        let title = head.lines().next().map_or(0, str::len);
        self.emphasised.push(self.text.len()..self.text.len() + title);
        self.text.push_str(&head);
        let mut start = 0;
        for line in hit.excerpt.split_inclusive('\n') {
            if !line.trim().is_empty() {
                self.text.push_str("    ");
                self.add_line(line.trim_end(), start, &hit.matches);
            }
            self.text.push('\n');
            start += line.len();
        }
        if explain {
            // Without any score, say by which list it was found.
            let counts = |placing: &&HitRank| placing.score > 0.0 || hit.score == 0.0;
            let places: Vec<String> = hit.because.iter().filter(counts).map(place).collect();
            self.text.push_str(&format!("    score {} = {}\n", hit.score, one_line(&places.join(" + "))));
        }
        self.text.push('\n');
    }

    /// Adds a line that begins at this byte of its excerpt.
    fn add_line(&mut self, line: &str, start: usize, matches: &[Range<usize>]) {
        let mut at = 0;
        for found in matches.iter().filter(|found| found.start >= start && found.end <= start + line.len()) {
            let (from, to) = (found.start - start, found.end - start);
            self.text.push_str(&visible(line.get(at..from).unwrap_or_default()));
            let begin = self.text.len();
            self.text.push_str(&visible(line.get(from..to).unwrap_or_default()));
            self.emphasised.push(begin..self.text.len());
            at = to;
        }
        self.text.push_str(&visible(line.get(at..).unwrap_or_default()));
    }
}

/// `2 hits by words only, ~80 tokens`
fn summary(answer: &SearchAnswer) -> String {
    let by = match answer.mode {
        SearchMode::Hybrid => "words and meaning",
        SearchMode::Words => "words only",
        SearchMode::Meaning => "meaning only (none has these words)",
    };
    format!("{} by {by}, ~{} tokens\n", counted(answer.hits.len(), "hit"), grouped(answer.tokens_used))
}

/// `0.083 for rank 2 by words (retry, backoff)`
fn place(placing: &HitRank) -> String {
    let HitRank { list, rank, score, words, cosine } = placing;
    let words = if words.is_empty() { String::new() } else { format!(" ({})", words.join(", ")) };
    let cosine = cosine.map_or_else(String::new, |cosine| format!(" (cosine {cosine})"));
    format!("{score} for rank {rank} by {}{words}{cosine}", list.word())
}
