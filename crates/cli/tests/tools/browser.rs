//! A real Chromium, spoken to through its debugging pipe.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

pub(super) struct Browser {
    child: Child,
    to: File,
    from: BufReader<File>,
    last: u64,
    session: String,
    /// What the console said, and errors that nobody caught.
    pub(super) complaints: Vec<String>,
    _profile: TempDir,
}

impl Browser {
    pub(super) fn start() -> Self {
        let profile = tempfile::tempdir().unwrap();
        let pipe = |name: &str| {
            let path = profile.path().join(name);
            assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
            path
        };
        let (to, from) = (pipe("to"), pipe("from"));
        let mut command = Command::new("sh");
        command.arg("-c").arg(
            r#"exec chromium --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
               --user-data-dir="$0/profile" --remote-debugging-pipe about:blank 3<"$0/to" 4>"$0/from""#,
        );
        command.arg(profile.path()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().expect("scripts/test installs chromium");
        // Opening a pipe waits for its other end, in the same order as the shell.
        let open = |path: &Path, is_write: bool| OpenOptions::new().read(!is_write).write(is_write).open(path).unwrap();
        let to = open(&to, true);
        let from = BufReader::new(open(&from, false));
        let mut browser = Self { child, to, from, last: 0, session: String::new(), complaints: Vec::new(), _profile: profile };
        let target = browser.call("Target.createTarget", &json!({ "url": "about:blank" }));
        let attached = browser.call("Target.attachToTarget", &json!({ "targetId": target["targetId"], "flatten": true }));
        attached["sessionId"].as_str().unwrap().clone_into(&mut browser.session);
        for domain in ["Runtime.enable", "Log.enable", "Page.enable"] {
            browser.call(domain, &json!({}));
        }
        browser
    }

    pub(super) fn call(&mut self, method: &str, params: &Value) -> Value {
        self.last += 1;
        let mut message = json!({ "id": self.last, "method": method, "params": params });
        if !self.session.is_empty() {
            message["sessionId"] = self.session.clone().into();
        }
        self.to.write_all(format!("{message}\0").as_bytes()).unwrap();
        loop {
            let mut bytes = Vec::new();
            self.from.read_until(0, &mut bytes).unwrap();
            assert_eq!(bytes.pop(), Some(0), "the browser has ended");
            let answer: Value = serde_json::from_slice(&bytes).unwrap();
            if answer["id"] == self.last {
                assert!(answer["error"].is_null(), "{method}: {answer}");
                return answer["result"].clone();
            }
            if matches!(answer["method"].as_str(), Some("Runtime.consoleAPICalled" | "Runtime.exceptionThrown" | "Log.entryAdded")) {
                self.complaints.push(answer["params"].to_string());
            }
        }
    }

    pub(super) fn eval(&mut self, script: &str) -> Value {
        let params = json!({ "expression": script, "returnByValue": true, "awaitPromise": true });
        let result = self.call("Runtime.evaluate", &params);
        assert!(result["exceptionDetails"].is_null(), "{script}: {result}");
        result["result"]["value"].clone()
    }

    /// Waits until an expression is true.
    pub(super) fn until(&mut self, script: &str) {
        let started = Instant::now();
        while self.eval(script) != true {
            assert!(started.elapsed() < Duration::from_secs(20), "{script}: {}", self.eval("document.body.innerText"));
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    pub(super) fn open(&mut self, address: &str) {
        self.call("Page.navigate", &json!({ "url": address }));
    }

    pub(super) fn text(&mut self) -> String {
        self.eval("document.body.innerText").as_str().unwrap_or_default().to_owned()
    }

    /// Presses a key, as somebody at the keyboard does.
    pub(super) fn press(&mut self, key: &str, code: u32) {
        for kind in ["rawKeyDown", "keyUp"] {
            self.call("Input.dispatchKeyEvent", &json!({ "type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code }));
        }
    }

    pub(super) fn enter(&mut self) {
        let event = |kind: &str| json!({ "type": kind, "key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r" });
        self.call("Input.dispatchKeyEvent", &event("keyDown"));
        self.call("Input.dispatchKeyEvent", &event("keyUp"));
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
