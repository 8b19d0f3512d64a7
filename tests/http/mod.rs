//! The HTTP server from a client's point of view: raw HTTP/1.1 over sockets, with a real process if the test uses the
//! real limits. Authorization, bodies, capacity, sessions, and shutdown.

mod authorization;
mod bodies;
mod calls;
mod capacity;
mod client;
mod server;
mod sessions;
mod shutdown;
mod slow;
