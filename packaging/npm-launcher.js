#!/usr/bin/env node
// Starts the program of this platform. Everything else is in that program.
"use strict";
const { spawnSync } = require("node:child_process");

const name = `briefing-cli-${process.platform}-${process.arch}`;
const file = process.platform === "win32" ? "brief.exe" : "brief";
let program;
try {
  program = require.resolve(`${name}/bin/${file}`);
} catch {
  console.error(`error: the package \`${name}\` is not installed`);
  console.error("hint: install again without `--omit=optional`; if there is no program for your platform, `cargo install briefing` builds one");
  process.exit(1);
}
const { status, signal, error } = spawnSync(program, process.argv.slice(2), { stdio: "inherit" });
if (error) {
  console.error(`error: cannot start \`${program}\`: ${error.message}`);
  process.exit(1);
}
if (signal) process.kill(process.pid, signal);
process.exit(status);
