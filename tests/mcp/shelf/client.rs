//! The client of the tests as those of the shelf see it: whole answers, notices by their kind, lists page by page.

use std::ops::{Deref, DerefMut};

use serde_json::{Value, json};

use crate::support::client;
use crate::support::workspace::Workspace;

/// A running server that is met with requests.
#[derive(Debug)]
pub struct Client(client::Client);

impl Client {
    /// Begins a session; the answer to `initialize` comes with it.
    pub fn hello(workspace: &Workspace, version: &str) -> (Self, Value) {
        let mut client = client::Client::start(workspace, &[]);
        let info = client.initialize(version, json!({}));
        (Self(client), json!({"result": info}))
    }

    /// Starts the server, and says nothing yet.
    pub fn silent(workspace: &Workspace) -> Self {
        Self(client::Client::start(workspace, &[]))
    }

    /// A session of the newest revision that has one.
    pub fn new(workspace: &Workspace) -> Self {
        Self(client::Client::connect(workspace))
    }

    /// One that carries what there is to know in every request, as of 2026-07-28.
    pub fn stateless(workspace: &Workspace) -> Self {
        Self(client::Client::modern(workspace, json!({})))
    }

    /// The result of a request that is met.
    #[track_caller]
    pub fn result(&mut self, method: &str, params: Value) -> Value {
        let answer = self.request(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// All pages of a list, one after the other.
    #[track_caller]
    pub fn pages(&mut self, method: &str, member: &str) -> Vec<Vec<Value>> {
        let (mut pages, mut params) = (Vec::new(), json!({}));
        loop {
            let result = self.result(method, params);
            pages.push(result[member].as_array().unwrap().clone());
            match &result["nextCursor"] {
                Value::Null => return pages,
                cursor => params = json!({"cursor": cursor}),
            }
        }
    }
}

impl Deref for Client {
    type Target = client::Client;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Client {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}
