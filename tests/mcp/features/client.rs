//! The tests' client with shortcuts for resources and prompts: full answers, notices by kind, lists page by page.

use std::ops::{Deref, DerefMut};

use serde_json::{Value, json};

use crate::support::client;
use crate::support::workspace::Workspace;

#[derive(Debug)]
pub struct Client(client::Client);

impl Client {
    /// Starts a session; returns it with the answer to `initialize`.
    pub fn hello(workspace: &Workspace, version: &str) -> (Self, Value) {
        let mut client = client::Client::start(workspace, &[]);
        let info = client.initialize(version, json!({}));
        (Self(client), json!({"result": info}))
    }

    /// Starts the server without sending anything.
    pub fn silent(workspace: &Workspace) -> Self {
        Self(client::Client::start(workspace, &[]))
    }

    /// A session of the newest revision with sessions.
    pub fn new(workspace: &Workspace) -> Self {
        Self(client::Client::connect(workspace))
    }

    /// A client that sends its metadata with every request, as of 2026-07-28.
    pub fn stateless(workspace: &Workspace) -> Self {
        Self(client::Client::modern(workspace, json!({})))
    }

    /// The result of a request that must succeed.
    #[track_caller]
    pub fn result(&mut self, method: &str, params: Value) -> Value {
        let answer = self.request(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// All pages of a list, in order.
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
