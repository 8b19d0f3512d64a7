//! The desk over HTTP as its clients see it: raw HTTP/1.1 over sockets, with a real process wherever its limits are those that
//! are written. Who may call, what a body may be, how many at once, sessions, and how it ends.

mod bodies;
mod calls;
mod client;
mod crowd;
mod ending;
mod gate;
mod names;
mod server;
mod slow;
