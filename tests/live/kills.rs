//! Kills processes again and again while all of them work. Acknowledged changes remain, no file is torn, no process is
//! blocked, no dead one counts as alive, and the next one takes over.

use std::fs;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use refdesk_core::config::WorkspaceContext;
use refdesk_desk::channel::folder::{default_folder, pending};
use refdesk_desk::channel::presence::{PresenceKind, is_open};
use refdesk_desk::{Desk, Options, Session};
use refdesk_files::Lock;

use crate::live::actors::{Call, Hook, Progress, Screen, Server, end};
use crate::live::ledger::{Acknowledged, Ledger, RecordedAction};
use crate::live::random::Random;
use crate::live::world::{trusted, unfinished};
use crate::support::program::LIMIT;
use crate::support::workspace::{STATE, Workspace, ids};
use refdesk_files::scale::scaled;

/// The number of kills, by default and in the nightly run.
const ROUNDS: [usize; 2] = [25, 200];

/// Rounds in one workspace.
const LIFE: usize = 25;

/// Once in this many rounds, the screen has to approve a write.
const QUESTION: usize = 6;

/// A longer change must have waited for the lock of a dead process, which takes twenty seconds.
const LOCK_WAIT_LIMIT: Duration = Duration::from_secs(10);

/// The maximum number of files that dead writers leave until the next write in the same folder.
const LEFT: usize = 8;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Victim {
    One,
    Two,
    Hook,
    Screen,
}

/// When to kill the process.
#[derive(Debug, Clone, Copy)]
enum Moment {
    /// Before it starts.
    Before,
    /// When it has started this many actions.
    Sent(usize),
    /// When this many actions are known to be complete.
    Answered(usize),
    /// After this long.
    Passed(Duration),
    /// When any process appends to the journal.
    Journalled,
    /// When any process writes a file.
    Writing,
    /// When it has done everything.
    After,
}

impl Moment {
    fn drawn(random: &mut Random) -> Self {
        let few = usize::try_from(random.below(5)).unwrap();
        match random.below(9) {
            0 => Self::Before,
            1 | 2 => Self::Sent(few + 1),
            3 | 4 => Self::Answered(few),
            5 | 6 => Self::Passed(Duration::from_micros(random.below(150_000))),
            7 => Self::Journalled,
            _ if random.below(3) > 0 => Self::Writing,
            _ => Self::After,
        }
    }

    /// Waits for the moment, at most until the victim has nothing left to do.
    fn wait(self, workspace: &Workspace, victim: &Progress) {
        let began = Instant::now();
        let folder = workspace.path.join(".jaato/refdesk");
        let size = || fs::metadata(folder.join("journal.jsonl")).map_or(0, |file| file.len());
        let (before, lying) = (size(), unfinished(&workspace.path));
        let has_come = || match self {
            Self::Before => true,
            Self::Sent(count) => victim.sent.load(Ordering::SeqCst) >= count,
            Self::Answered(count) => victim.answered.load(Ordering::SeqCst) >= count,
            Self::Passed(span) => began.elapsed() >= span,
            Self::Journalled => size() > before,
            Self::Writing => unfinished(&workspace.path).iter().any(|file| !lying.contains(file)),
            Self::After => false,
        };
        while !has_come() && !victim.is_over() {
            assert!(began.elapsed() < LIMIT, "{self:?} never comes");
            thread::yield_now();
        }
    }
}

fn id(of: &str, round: usize, at: usize) -> String {
    format!("{of}-{round:02}-{at}")
}

fn every_id() -> impl Iterator<Item = String> {
    (0..=LIFE).flat_map(|round| {
        let several = [("one", 2), ("two", 2), ("hook", 2), ("screen", 2), ("check", 1)];
        several.into_iter().flat_map(move |(of, count)| (0..count).map(move |at| id(of, round, at)))
    })
}

fn calls(of: &str, round: usize, question: bool, at_once: bool) -> Vec<Call> {
    let mut calls = vec![
        Call::select(&id(of, round, 0)),
        Call::render(&format!("{of} {round}")),
        Call::write(&format!("gen/{of}-{round}.txt"), &format!("{of} {round}")),
        Call::select(&id(of, round, 1)),
    ];
    if !at_once {
        calls.insert(1, Call::read(&id(of, round, 0)));
    }
    if question {
        calls.push(Call::write(&format!("src/{of}-{round}.txt"), &format!("{of} {round} asked")));
    }
    calls
}

/// All processes of a workspace.
struct Processes {
    workspace: Workspace,
    one: Server,
    two: Server,
    screen: Screen,
    ledger: Ledger,
    /// Every write that was started, whether or not it finished.
    begun: Vec<(String, String)>,
    kills: usize,
    /// The duration of another process's change right after each kill.
    changes: Vec<Duration>,
    /// How many times the victim had work left.
    midway: usize,
}

impl Processes {
    fn new() -> Self {
        let workspace = trusted(every_id());
        Self {
            one: Server::start(&workspace, "claude-code"),
            two: Server::start(&workspace, "codex"),
            screen: Screen::open(&workspace),
            workspace,
            ledger: Ledger::default(),
            begun: Vec::new(),
            kills: 0,
            changes: Vec::new(),
            midway: 0,
        }
    }

    /// All processes work, one is killed, every acknowledged action is checked, and the killed one is restarted.
    fn round(&mut self, round: usize, victim: Victim, moment: Moment, random: &mut Random) {
        let question = round % QUESTION == QUESTION - 1;
        let at_once = [random.below(2) == 0, random.below(2) == 0];
        let work = [("one", question), ("two", false)];
        let [first, second] = [0, 1].map(|at| calls(work[at].0, round, work[at].1, at_once[at]));
        self.begun.extend(first.iter().chain(&second).filter_map(Call::written));
        let progress: [Progress; 4] = Default::default();
        let of_victim = &progress[victim as usize];
        let hook = Hook::default();
        let Self { workspace, one, two, screen, .. } = self;
        let process = match victim {
            Victim::One => one.process(),
            Victim::Two => two.process(),
            Victim::Screen => screen.process(),
            Victim::Hook => 0,
        };
        let kill = || {
            of_victim.killed.store(true, Ordering::SeqCst);
            if victim == Victim::Hook {
                while !hook.kill() && !of_victim.is_over() {
                    thread::yield_now();
                }
            } else {
                end(process);
            }
        };
        if matches!(moment, Moment::Before) && victim != Victim::Hook {
            kill();
        }
        let workspace = &*workspace;
        let (done, changed, is_midway, reopened) = thread::scope(|threads| {
            let of_one = threads.spawn(|| one.work(first, at_once[0], &progress[0]));
            let of_two = threads.spawn(|| two.work(second, at_once[1], &progress[1]));
            let ids = [0, 1].map(|at| id("hook", round, at));
            let of_hook = threads.spawn(|| hook.work(workspace, &{ ids }, &progress[2]));
            let of_screen = threads.spawn(|| {
                let it = &progress[3];
                let picked = screen.pick(&id("screen", round, 0), it);
                if question {
                    screen.approve(|| it.killed.load(Ordering::SeqCst) || progress[0].is_over(), it);
                }
                it.over.store(true, Ordering::SeqCst);
                picked
            });
            moment.wait(workspace, of_victim);
            let is_midway = !of_victim.is_over();
            kill();
            let began = Instant::now();
            let changed = change(workspace, &id("check", round, 0));
            let took = began.elapsed();
            let mut done: Vec<Acknowledged> = of_screen.join().unwrap().into_iter().collect();
            let reopened = (victim == Victim::Screen).then(|| {
                assert!(!is_open(&workspace.path, PresenceKind::Screen), "a dead screen counts as open");
                let mut screen = Screen::open(workspace);
                if question {
                    // The asker keeps waiting, and the next screen answers it.
                    screen.approve(|| progress[0].is_over(), &Progress::default());
                }
                screen
            });
            for other in [of_one, of_two, of_hook] {
                done.extend(other.join().unwrap());
            }
            done.push(changed);
            (done, took, is_midway, reopened)
        });
        self.kills += 1;
        self.midway += usize::from(is_midway);
        self.changes.push(changed);
        self.ledger.add(done);
        self.look(victim);
        match victim {
            Victim::One => self.one = Server::start(&self.workspace, "claude-code"),
            Victim::Two => self.two = Server::start(&self.workspace, "codex"),
            Victim::Hook => {}
            Victim::Screen => std::mem::replace(&mut self.screen, reopened.unwrap()).release(),
        }
        self.screen.wait_for_no_request();
        assert!(is_open(&self.workspace.path, PresenceKind::Screen));
    }

    /// Checks that everything acknowledged is there, and that no remains of a dead process block another.
    fn look(&mut self, victim: Victim) {
        let folder = self.workspace.path.join(".jaato/refdesk");
        drop(Lock::acquire(&folder.join("lock"), LOCK_WAIT_LIMIT).expect("no dead process holds the lock"));
        self.ledger.check(&self.workspace, self.kills);
        for (path, text) in &self.begun {
            // It was not acknowledged, but if the file exists, it is complete.
            if let Ok(found) = fs::read_to_string(self.workspace.path.join(path)) {
                assert!(found == *text, "{path} is torn");
            }
        }
        let found = pending(&default_folder(&self.workspace.path), Timestamp::now());
        let (waiting, problems) = (found.pending, found.problems);
        assert!(waiting.is_empty() && problems.is_empty(), "{victim:?}: {waiting:?} {problems:?}");
        let left = unfinished(&self.workspace.path);
        assert!(left.len() <= LEFT, "{left:#?}");
    }

    /// Ends a workspace: the next write removes all leftovers, and all processes agree on the picks.
    fn end(mut self) -> (Vec<Duration>, usize, (usize, usize)) {
        let progress = Progress::default();
        // Each folder that was written to is written to once more.
        let (one, screen) = (&mut self.one, &mut self.screen);
        let done = thread::scope(|threads| {
            let of_one = threads.spawn(|| one.work(calls("one", LIFE, true, false), false, &progress));
            screen.approve(|| progress.is_over(), &Progress::default());
            of_one.join().unwrap()
        });
        self.ledger.add(done);
        let hooked = Hook::default().work(&self.workspace, &[id("hook", LIFE, 0)], &progress);
        self.ledger.add(hooked);
        self.ledger.add([change(&self.workspace, &id("check", LIFE, 0))]);
        self.look(Victim::Hook);
        end(self.screen.process());
        self.screen.release();
        self.screen = Screen::open(&self.workspace);
        let left = unfinished(&self.workspace.path);
        let count = |name: &str| left.iter().filter(|path| path.parent().is_some_and(|it| it.ends_with(name))).count();
        let open = (count("screens"), count("servers"), count("agents"));
        let is_only_open = open == (1, 2, 2) && left.len() == 5;
        assert!(is_only_open, "only the open screen, and the open servers with an agent each: {left:#?}");
        let listed = self.workspace.json(&["list", "--selected"], 0);
        let (mut listed, mut picks) = (ids(&listed["sources"]), self.workspace.picks());
        listed.sort();
        picks.sort();
        assert_eq!(listed, picks);
        (self.changes, self.midway, self.ledger.count())
    }
}

/// A change made by the test process.
fn change(workspace: &Workspace, id: &str) -> Acknowledged {
    let context = WorkspaceContext { workspace: workspace.path.clone(), ..WorkspaceContext::default() };
    let state = Some(workspace.beside(STATE));
    let mut desk = Desk::open(Options { state, ..Options::new(context) });
    desk.pick(&Session::of_client("a checker"), &[id.to_owned()], &[]).unwrap();
    Acknowledged { who: "a checker".to_owned(), recorded: RecordedAction::Picked(id.to_owned()) }
}

#[test]
fn nothing_acknowledged_is_lost_whichever_process_is_killed_when() {
    let mut random = Random::new();
    let began = Instant::now();
    let rounds = scaled(ROUNDS[0], ROUNDS[1]);
    let (mut changes, mut midway, mut acknowledged, mut late) = (Vec::new(), 0, 0, 0);
    for _ in 0..rounds / LIFE {
        let mut team = Processes::new();
        for round in 0..LIFE {
            let question = round % QUESTION == QUESTION - 1;
            let victim = match random.below(4) {
                at if question => [Victim::One, Victim::Screen][usize::try_from(at % 2).unwrap()],
                at => [Victim::One, Victim::Two, Victim::Hook, Victim::Screen][usize::try_from(at).unwrap()],
            };
            let moment = Moment::drawn(&mut random);
            eprintln!("{:6.1} s, round {round}: {victim:?} {moment:?}", began.elapsed().as_secs_f32());
            team.round(round, victim, moment, &mut random);
        }
        let (took, half, (all, without)) = team.end();
        changes.extend(took);
        (midway, acknowledged, late) = (midway + half, acknowledged + all, late + without);
    }
    changes.sort();
    let (median, slowest) = (changes[changes.len() / 2], changes[changes.len() - 1]);
    eprintln!(
        "{rounds} rounds in {:.1} s, {midway} killed midway, {acknowledged} things acknowledged, {late} of hooks too late for \
         the journal; the next change took {median:.1?}, at most {slowest:.1?}",
        began.elapsed().as_secs_f32()
    );
    assert!(midway >= rounds / 3, "only {midway} were killed midway");
    assert!(slowest < LOCK_WAIT_LIMIT, "a change waited for {slowest:?}");
}
