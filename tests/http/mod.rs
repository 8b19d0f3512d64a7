//! The HTTP server as its clients see it: raw HTTP/1.1 over sockets, with a real process wherever the test uses the real
//! limits. Authorization, bodies, capacity, sessions, and shutdown.

mod bodies;
mod calls;
mod client;
mod crowd;
mod ending;
mod gate;
mod names;
mod server;
mod slow;
