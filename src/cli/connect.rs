//! `refdesk connect` and `refdesk disconnect`: show the change to an agent's settings file, and write it once approved.

mod connection_record;
mod settings_file;

use serde_json::{Map, Value, json};

use self::connection_record::ConnectionRecord;
use self::settings_file::SettingsFile;
use super::answer::CommandOutput;
use super::args::ConnectArgs;
use super::environment;
use super::output::ask;
use refdesk_agents::setup::{self, Client, Connected, Disconnected, NAME, Record, is_ours, write_command};
use refdesk_desk::{Desk, Session};
use refdesk_files::output::{Before, Proposal, WriteFailure, propose, propose_removal};
use refdesk_text::{Code, Error};

/// Connects an agent.
pub fn connect(desk: &mut Desk, session: &Session, args: &ConnectArgs) -> CommandOutput {
    run(desk, session, args, Verb::Connect)
}

/// Disconnects an agent.
pub fn disconnect(desk: &mut Desk, session: &Session, args: &ConnectArgs) -> CommandOutput {
    run(desk, session, args, Verb::Disconnect)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Verb {
    Connect,
    Disconnect,
}

/// A change to the settings file.
struct SettingsChange {
    proposal: Proposal,
    then: FollowUp,
}

enum FollowUp {
    /// Write the file, and store this record.
    Remember(Record),
    /// Write the file, and remove the record.
    Forget,
    /// Remove the file, and up to this many folders.
    Remove(usize),
}

/// The resolved arguments of a call.
struct ConnectPlan {
    verb: Verb,
    client: Client,
    place: SettingsFile,
    command: String,
    remembered: ConnectionRecord,
    warnings: Vec<String>,
}

fn run(desk: &mut Desk, session: &Session, args: &ConnectArgs, verb: Verb) -> CommandOutput {
    let Some(client) = Client::from_word(&args.agent) else {
        let words: Vec<&str> = Client::words().collect();
        let message = format!("'{}' is not an agent that refdesk supports", args.agent);
        return CommandOutput::usage(message, format!("it knows {}", words.join(", ")));
    };
    let place = match settings_file::of(desk, &client, args.user) {
        Ok(place) => place,
        Err(refusal) => return CommandOutput::refused(refusal).with_status("error"),
    };
    let mut job = ConnectPlan {
        verb,
        client,
        command: String::new(),
        remembered: ConnectionRecord::new(desk, client.word, args.user),
        place,
        warnings: Vec::new(),
    };
    job.warnings.extend(job.remembered.damage.clone());
    job.command = job.choose_command(args.user);
    let answer = match job.step() {
        Ok(Some(step)) => job.carry_out(desk, session, args, &step),
        Ok(None) => {
            let (status, is) = match verb {
                Verb::Connect => ("already_connected", "is already connected"),
                Verb::Disconnect => ("not_connected", "is not connected"),
            };
            job.answer(status, None, false, format!("{} {is} in {}\n", client.word, job.place.shown))
        }
        Err(refusal) => job.answer("error", None, false, String::new()).and_refused(vec![refusal]),
    };
    CommandOutput { notes: job.warnings.into_iter().chain(answer.notes).collect(), ..answer }
}

impl ConnectPlan {
    /// Use the bare name if it starts this program, or if the file is the workspace's: that is used on other machines too.
    fn choose_command(&mut self, for_user: bool) -> String {
        let (own, found) = (environment::own_file(), environment::on_path(NAME));
        let word = self.client.word;
        // Without a record, these entries could not be recognized and removed later.
        let is_fine = |own: &&str| is_ours(&write_command(own, word), word);
        let by_path = own.as_ref().filter(|_| for_user).and_then(|own| own.to_str()).filter(is_fine);
        let program = match (&own, &found, by_path) {
            (Some(own), Some(found), _) if own == found => NAME,
            (_, _, Some(own)) => own,
            _ => {
                if self.verb == Verb::Connect {
                    self.warnings.push(match found {
                        Some(found) => {
                            format!(
                                "the agent will call the {NAME} found on PATH, {}, which is a different one",
                                found.display()
                            )
                        }
                        None => format!("{NAME} is not on PATH; until it is, the agent cannot call it"),
                    });
                }
                NAME
            }
        };
        write_command(program, word)
    }

    /// The change; `None` if there is nothing to change.
    fn step(&self) -> Result<Option<SettingsChange>, Error> {
        let text = self.place.read()?;
        let (text, record) = (text.as_deref(), self.remembered.record.as_ref());
        let shown = &self.place.shown;
        let in_file = |error: Error| Error { message: format!("{shown}:{}", error.message), ..error };
        let (new, then) = match self.verb {
            Verb::Connect => match setup::connect(text, &self.client, &self.command, record).map_err(in_file)? {
                Connected::Already => return Ok(None),
                Connected::Write { text, record } => (text, FollowUp::Remember(record)),
            },
            Verb::Disconnect => match setup::disconnect(text, &self.client, record).map_err(in_file)? {
                Disconnected::Nothing => return Ok(None),
                Disconnected::Write(text) => (text, FollowUp::Forget),
                Disconnected::Remove { folders } => (String::new(), FollowUp::Remove(folders)),
            },
        };
        let proposal = self.place.propose(|root, folder, file, scope| match then {
            FollowUp::Remove(_) => propose_removal(root, folder, file, scope),
            _ => propose(root, folder, file, &new, scope),
        })?;
        // The file may have changed between the two reads.
        let is_same = text.map_or(proposal.before == Before::Nothing, |text| proposal.replaces(text));
        if !is_same {
            let message = format!("{shown} changed while it was being read");
            return Err(Error::new(Code::Changed, message, "try again"));
        }
        Ok(Some(SettingsChange { proposal, then }))
    }

    /// Shows, asks and writes.
    fn carry_out(
        &self,
        desk: &mut Desk,
        session: &Session,
        args: &ConnectArgs,
        step: &SettingsChange,
    ) -> CommandOutput {
        let proposal = &step.proposal;
        let (shown, sum) = (&proposal.shown, proposal.diff.summary());
        let diff = proposal.diff.unified();
        let [verb, asked, done] = match (&step.then, &proposal.before) {
            (FollowUp::Remove(_), _) => ["remove", "Remove", "removed"],
            (_, Before::Nothing) => ["write", "Write", "wrote"],
            (_, Before::File { .. }) => ["change", "Change", "changed"],
        };
        let preview = format!("this would {verb} {shown} ({sum})");
        if args.dry_run {
            return CommandOutput { notes: vec![preview], ..self.answer("dry_run", Some(proposal), false, diff) };
        }
        let mut text = diff;
        if !args.yes {
            match ask(&proposal.diff.shown(), &format!("{asked} {shown} ({sum})?")) {
                Some(true) => text.clear(),
                Some(false) => {
                    let refusal = Error::new(Code::NotApproved, "it was not approved", "");
                    return self.answer("error", Some(proposal), false, "").and_refused(vec![refusal]);
                }
                None => {
                    let hint = "check the difference, and write it with --yes";
                    let refusal = Error::new(Code::NotApproved, "it was not approved", hint);
                    let answer = self.answer("error", Some(proposal), false, text).and_refused(vec![refusal]);
                    return CommandOutput { notes: vec![preview], ..answer };
                }
            }
        }
        match self.write(desk, session, step) {
            Ok(()) => {
                let (status, is) = match self.verb {
                    Verb::Connect => ("connected", "is connected"),
                    Verb::Disconnect => ("disconnected", "is no longer connected"),
                };
                text.push_str(&format!("{} {is}: {done} {shown} ({sum})\n", self.client.word));
                self.answer(status, Some(proposal), true, text)
            }
            Err(refusal) if refusal.code == Code::Changed => {
                // The shown diff was made against the old content.
                let updated = self.step().ok().flatten().map(|step| step.proposal);
                let diff = updated.as_ref().map(|updated| updated.diff.unified()).unwrap_or_default();
                self.answer("error", updated.as_ref(), false, diff).and_refused(vec![refusal])
            }
            Err(refusal) => self.answer("error", Some(proposal), false, "").and_refused(vec![refusal]),
        }
    }

    /// The record is written first: without it the previous content would be lost.
    fn write(&self, desk: &mut Desk, session: &Session, step: &SettingsChange) -> Result<(), Error> {
        let refused = |unwritten: WriteFailure| unwritten.refused;
        match &step.then {
            FollowUp::Remember(record) => {
                let folders = step.proposal.path.ancestors().skip(1).take_while(|folder| !folder.is_dir()).count();
                let record = Record { folders: record.folders.max(folders), ..record.clone() };
                self.remembered.store(desk, &record)?;
                desk.write(session, std::slice::from_ref(&step.proposal), "").map(drop).map_err(|unwritten| {
                    self.remembered.put_back();
                    refused(unwritten)
                })
            }
            FollowUp::Forget => {
                desk.write(session, std::slice::from_ref(&step.proposal), "").map_err(refused)?;
                self.remembered.forget();
                Ok(())
            }
            FollowUp::Remove(folders) => {
                let reason = format!("it was created to connect {}", self.client.word);
                desk.remove(session, &step.proposal, self.place.depth().min(*folders), &reason).map_err(refused)?;
                self.remembered.forget();
                Ok(())
            }
        }
    }

    fn answer(
        &self,
        status: &str,
        proposal: Option<&Proposal>,
        changed: bool,
        text: impl Into<String>,
    ) -> CommandOutput {
        let diff = proposal.map(|proposal| proposal.diff.unified()).unwrap_or_default();
        let mut json = Map::from_iter([
            ("status".to_owned(), json!(status)),
            ("agent".to_owned(), json!(self.client.word)),
            ("scope".to_owned(), json!(self.place.scope())),
            ("path".to_owned(), json!(self.place.shown)),
            ("diff".to_owned(), json!(diff)),
            ("changed".to_owned(), json!(changed)),
            ("warnings".to_owned(), json!(self.warnings)),
        ]);
        if self.verb == Verb::Connect {
            json.insert("command".to_owned(), json!(self.command));
        }
        CommandOutput::new(Value::Object(json), text)
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use crate::cli::Cli;
    use refdesk_agents::hook::HookAgent;
    use refdesk_agents::setup::Client;

    /// The two crates do not depend on each other, so each has its own table.
    #[test]
    fn connected_agents_are_those_with_a_hook_and_those_in_the_help() {
        let agents = HookAgent::ALL.map(HookAgent::word);
        assert_eq!(Client::words().collect::<Vec<_>>(), agents);
        let (last, first) = agents.split_last().unwrap();
        let told = format!("The agent: {} or {last}", first.join(", "));
        let program = Cli::command();
        for name in ["hook", "connect", "disconnect"] {
            let command = program.find_subcommand(name).unwrap();
            let agent = command.get_positionals().next().unwrap();
            assert_eq!(agent.get_help().unwrap().to_string(), told, "{name}");
        }
    }
}
