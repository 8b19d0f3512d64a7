//! The server of the real program from the point of view of a client on standard input and output: the answers and
//! refusals of each tool, requests that a session survives, questions to people, and shutdown.

mod asking;
mod databases;
mod errors;
mod features;
mod hostile;
mod links;
mod listing;
mod questions;
mod revisions;
mod searching;
mod sharing;
mod shutdown;
mod startup;
mod tools;
mod trusting;
mod world;
mod writing;
