//! A PostgreSQL server for tests: the installed program, in a temporary folder with its Unix socket.

#![allow(clippy::disallowed_methods, reason = "tests write files of any kind")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::missing_panics_doc, reason = "it is part of tests")]
#![allow(clippy::print_stderr, reason = "a test that is left out says so")]

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tokio_postgres::{Client, NoTls};

/// The user id for the server, because PostgreSQL refuses to run as root.
const NOBODY: u32 = 65_534;

/// Rules for users that the server rejects without a password or without TLS.
const RULES: &str = "local all locked scram-sha-256\nlocal all hashed md5\nlocal all encrypted reject\n\
                     local all all trust\nhostssl all all 127.0.0.1/32 trust\n";

/// How many ports to try.
const TRIES: usize = 5;

/// A running server, which ends when this is dropped.
#[derive(Debug)]
pub struct TestServer {
    child: Child,
    folder: tempfile::TempDir,
    port: u16,
}

impl TestServer {
    /// Starts a server; `None` if PostgreSQL is not installed.
    pub fn start() -> Option<Self> {
        let Some(programs) = programs() else {
            eprintln!("skipped: PostgreSQL's server is not installed");
            return None;
        };
        let mut folder = tempfile::tempdir().unwrap();
        let is_root = fs::metadata(folder.path()).unwrap().uid() == 0;
        if is_root {
            if !is_open(folder.path()) {
                folder = tempfile::tempdir_in("/var/tmp").unwrap();
            }
            chown(folder.path(), Some(NOBODY), Some(NOBODY)).unwrap();
        }
        let data = folder.path().join("data");
        let mut initdb = command(&programs.join("initdb"), is_root);
        initdb.args(["-U", "refdesk", "-A", "trust", "-E", "UTF8", "--locale=C", "-N", "-D"]).arg(&data);
        let made = initdb.current_dir(folder.path()).output().unwrap();
        assert!(made.status.success(), "initdb: {}", String::from_utf8_lossy(&made.stderr));
        fs::write(data.join("pg_hba.conf"), RULES).unwrap();
        let tls = certificate(&data, is_root);
        let mut seen = String::new();
        for _ in 0..TRIES {
            // Another program may take the port before the server does.
            let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
            let mut postgres = command(&programs.join("postgres"), is_root);
            postgres.arg("-D").arg(&data).arg("-k").arg(folder.path()).args(["-F", "-c", "listen_addresses=127.0.0.1"]);
            // Creating 10,000 tables, or dumping them with `pg_dump`, locks each of them.
            postgres.args(["-c", "max_locks_per_transaction=1024"]);
            postgres.args(["-p", &port.to_string(), "-c", if tls { "ssl=on" } else { "ssl=off" }]);
            let mut child = postgres.current_dir(folder.path()).stderr(Stdio::piped()).spawn().unwrap();
            let mut log = BufReader::new(child.stderr.take().unwrap());
            while log.read_line(&mut seen).unwrap() > 0 && !seen.contains("ready to accept connections") {}
            if seen.contains("ready to accept connections") {
                // Unless the log is read, the server stops once the pipe is full.
                std::thread::spawn(move || log.read_to_end(&mut Vec::new()));
                return Some(Self { child, folder, port });
            }
            child.wait().unwrap();
        }
        panic!("postgres: {seen}");
    }

    /// The folder of the socket.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The port of the socket, and on 127.0.0.1, where TLS is required.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The server's certificate for `localhost`; `None` if no program could create it.
    pub fn certificate(&self) -> Option<PathBuf> {
        let file = self.folder.path().join("data/server.crt");
        file.is_file().then_some(file)
    }

    /// The URL of a database for a user.
    pub fn url(&self, user: &str, database: &str) -> String {
        format!("postgres://{user}@/{database}?host={}&port={}", self.folder.path().display(), self.port)
    }

    /// Creates a database and returns its URL.
    pub fn database(&self, name: &str) -> String {
        self.run("postgres", &format!("CREATE DATABASE {name}"));
        self.url("refdesk", name)
    }

    /// Runs a statement and returns its number.
    pub fn count(&self, database: &str, statement: &str) -> i64 {
        self.connected(database, async |client| client.query_one(statement, &[]).await.unwrap().get(0))
    }

    /// Locks all tables in the schema `public` of a database, until the result is dropped.
    pub fn locked(&self, database: &str) -> LockedTables {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let client = runtime.block_on(async {
            let (client, connection) = tokio_postgres::connect(&self.url("refdesk", database), NoTls).await.unwrap();
            drop(tokio::spawn(connection));
            let lock = "BEGIN; DO $$ DECLARE it regclass; BEGIN
                FOR it IN SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
                LOOP EXECUTE format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', it); END LOOP; END $$";
            client.batch_execute(lock).await.unwrap();
            client
        });
        LockedTables { _client: client, _runtime: runtime }
    }

    /// Runs statements in a database.
    pub fn run(&self, database: &str, sql: &str) {
        self.connected(database, async |client| client.batch_execute(sql).await.unwrap());
    }

    /// Uses a connection to a database, and waits until it is closed.
    fn connected<T>(&self, database: &str, work: impl AsyncFnOnce(&Client) -> T) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (client, connection) = tokio_postgres::connect(&self.url("refdesk", database), NoTls).await.unwrap();
            let connection = tokio::spawn(connection);
            let done = work(&client).await;
            drop(client);
            connection.await.unwrap().unwrap();
            done
        })
    }
}

/// Tables that stay locked until this is dropped.
pub struct LockedTables {
    // Dropped in this order: the connection ends with its runtime.
    _client: Client,
    _runtime: tokio::runtime::Runtime,
}

impl Drop for TestServer {
    fn drop(&mut self) {
        // Unlike `Child::kill`, this lets the server end its own processes.
        let asked = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status();
        if !asked.is_ok_and(|status| status.success()) {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}

/// Creates a self-signed certificate for `localhost`; returns whether a program for that is installed.
fn certificate(data: &Path, is_root: bool) -> bool {
    let (key, file) = (data.join("server.key"), data.join("server.crt"));
    let mut openssl = Command::new("openssl");
    openssl.args([
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-days",
        "3650",
    ]);
    openssl.args(["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]);
    openssl.args(["-addext", "basicConstraints=critical,CA:FALSE"]);
    openssl.arg("-keyout").arg(&key).arg("-out").arg(&file).stdin(Stdio::null());
    if !openssl.output().is_ok_and(|made| made.status.success()) {
        eprintln!("skipped: without openssl there is no server with TLS");
        return false;
    }
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
    if is_root {
        chown(&key, Some(NOBODY), Some(NOBODY)).unwrap();
    }
    true
}

/// Whether every user can reach a folder, even if not enter it.
fn is_open(folder: &Path) -> bool {
    folder.ancestors().skip(1).all(|above| fs::metadata(above).unwrap().mode() & 0o001 != 0)
}

/// The folder of the newest installed server, else of the one in PATH.
fn programs() -> Option<PathBuf> {
    let packages = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    let mut found: Vec<PathBuf> = packages.map(|entry| entry.unwrap().path().join("bin")).collect();
    let version = |folder: &Path| folder.parent()?.file_name()?.to_str()?.parse::<u32>().ok();
    found.sort_by_key(|folder| std::cmp::Reverse(version(folder)));
    found.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    found.into_iter().find(|folder| ["initdb", "postgres"].iter().all(|name| folder.join(name).is_file()))
}

/// The command, run as an unprivileged user if this process is root; it ends with this process.
fn command(program: &Path, is_root: bool) -> Command {
    if !is_root {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    let user = format!("--reuid={NOBODY}");
    let group = format!("--regid={NOBODY}");
    command.args([&user, &group, "--clear-groups", "--pdeathsig=INT", "--"]).arg(program);
    command
}
