//! How much is saved by giving a session each text only once: a day's conversation of 50 prompts over the demo, with
//! tool results between them and some hinted sources picked, with and without `--repeat`. Prints the added bytes and
//! estimated tokens by kind of block. The goal is 10 %.
#![allow(
    clippy::restriction,
    clippy::needless_pass_by_value,
    reason = "a figure that cannot be had should stop, and says where"
)]

#[allow(dead_code, reason = "the tests use the rest")]
#[path = "../tests/support/mod.rs"]
mod support;

use refdesk_text::tokens;
use support::conversation::{of_blocks, price, replay};

fn main() {
    let (once, again) = (replay(false), replay(true));
    let prompts = once.iter().filter(|turn| turn.prompt.is_some()).count();
    println!("{prompts} prompts, {} answers of tools", once.len() - prompts - 1);
    let (once, again) = (price(&once), price(&again));
    let row = |what: &str, once: usize, again: usize| {
        let tokens = |bytes: usize| tokens::of_prose(u64::try_from(bytes).unwrap());
        let share = if again == 0 {
            0.0
        } else {
            100.0 * f64::from(u32::try_from(once).unwrap()) / f64::from(u32::try_from(again).unwrap())
        };
        println!("{what:<24} {once:>7} {:>7} {again:>9} {:>7} {share:>7.1} %", tokens(once), tokens(again));
    };
    println!("{:<24} {:>7} {:>7} {:>9} {:>7} {:>9}", "bytes and ~tokens", "once", "", "--repeat", "", "share");
    for (kind, bytes) in &again {
        row(kind, once.get(kind).copied().unwrap_or_default(), *bytes);
    }
    row("all blocks", of_blocks(&once), of_blocks(&again));
    row("with the instructions", once.values().sum(), again.values().sum());
}
