//! Databases as references: a schema is read, planned, described and written as pages that agents can pick. What is read goes
//! one way: `snapshot → plan → descriptions → pages → manifest`, and every arrow is a file that a person can look at.
//!
//! `schema` computes and knows no database; `connector` reads one, a file each. No statement is run that is not a constant of
//! ours, and a name of the database enters one only through [`connector::quoted`].

pub mod config;
pub mod connector;
pub mod documenter;
pub mod sampling;
pub mod schema;

#[cfg(test)]
mod golden;

#[cfg(test)]
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../../../tests/support/databases.rs"]
mod generated;
