//! The process inside a cell, which serves the mock model API and starts the client.
//!
//! It is the second process of its process namespace. When its stdin ends, because the test has ended or was killed, it
//! returns. Then the shell that is process 1 ends, and the kernel kills all remaining processes.

use std::fs::File;
use std::io::{self, BufRead, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command as Program, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::protocol::{Command, End, Event, PORT, Run};
use crate::model_api::{ModelApi, Script};

/// Serves commands from stdin until it ends.
pub fn inside() -> io::Result<()> {
    let api = ModelApi::start_on(PORT, Script::new(), |request| {
        say(&Event::Request(Box::new(request.clone())));
    })?;
    say(&Event::Ready);
    for line in io::stdin().lock().lines() {
        match serde_json::from_str(&line?)? {
            Command::Script(script) => api.set_script(script),
            Command::Run(run) => {
                thread::spawn(move || {
                    say(&Event::Exited { id: run.id, end: execute(&run) });
                });
            }
        }
    }
    Ok(())
}

fn say(event: &Event) {
    let mut line = serde_json::to_string(event).expect("an event is JSON");
    line.push('\n');
    let mut out = io::stdout().lock();
    // If the test has ended, stdin ends too, and the loop over stdin stops.
    drop(out.write_all(line.as_bytes()).and_then(|()| out.flush()));
}

fn execute(run: &Run) -> End {
    let mut child = match start(run) {
        Ok(child) => child,
        Err(error) => return End::NotStarted(error.to_string()),
    };
    let deadline = Instant::now() + Duration::from_millis(run.limit_millis);
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return End::Code(status.code()),
            Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(10)),
            Ok(None) => {
                // Kill the whole group: a client's children must not send requests during the next run.
                drop(Program::new("kill").args(["-KILL", "--", &format!("-{}", child.id())]).status());
                drop(child.wait());
                return End::TimedOut;
            }
            Err(error) => return End::NotStarted(error.to_string()),
        }
    }
}

fn start(run: &Run) -> io::Result<Child> {
    let stdin = match &run.stdin {
        Some(path) => Stdio::from(File::open(path)?),
        None => Stdio::null(),
    };
    Program::new(&run.argv[0])
        .args(&run.argv[1..])
        .env_clear()
        .envs(run.env.iter().map(|(key, value)| (key, value)))
        .current_dir(&run.directory)
        .stdin(stdin)
        .stdout(File::create(&run.stdout)?)
        .stderr(File::create(&run.stderr)?)
        .process_group(0)
        .spawn()
}
