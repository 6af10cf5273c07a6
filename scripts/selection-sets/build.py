#!/usr/bin/env python3
"""Writes docs.jsonl of our two selection sets from documentation that is installed on this machine.

    scripts/selection-sets/build.py OUT      OUT/packages and OUT/tools, each with docs.jsonl and queries.jsonl

The documents are other people's and stay out of the repository; the messages beside this script are ours. They were
written for npm 11.19.1 and Node.js 20.20.2 as packaged, Gemini CLI 0.61.0, Qwen Code 0.24.4, derive_more 2.1.1 and nan 2.x.
"""
import glob
import gzip
import json
import os
import re
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
CLIENTS = os.path.join(HERE, "..", "..", ".clients")
NPM = "/usr/lib/node_modules/npm"
SETS = {
    "packages": {
        "gemini-cli": f"{CLIENTS}/gemini/node_modules/@google/gemini-cli/bundle/docs",
        "npm": f"{NPM}/docs/content",
        "nodejs": "/usr/share/doc/nodejs/api",
        "node-contrib": "/usr/share/doc/nodejs/contributing",
        "undici": f"{NPM}/node_modules/undici/docs",
    },
    "tools": {
        "qwen-code": f"{CLIENTS}/qwen/node_modules/@qwen-code/qwen-code/bundled/qc-helper/docs",
        "derive_more": os.path.expanduser("~/.cargo/registry/src/*/derive_more-impl-2.1.1/doc"),
        "nan": f"{CLIENTS}/gemini/node_modules/nan/doc",
    },
}
# Navigation only, or the source of questions.
LEFT_OUT = {"gemini-cli/index.md", "nodejs/index.md", "gemini-cli/resources/faq.md"}
SHORTEST = 300


def documents(project, pattern):
    roots = glob.glob(pattern)
    if not roots:
        sys.exit(f"error: the documentation of {project} is not installed: {pattern}")
    for directory, _, files in os.walk(roots[0], followlinks=True):
        for name in files:
            if not re.search(r"\.md(\.gz)?$", name):
                continue
            file = os.path.join(directory, name)
            below = os.path.relpath(file, roots[0]).removesuffix(".gz")
            path = f"{project}/{below}"
            if path in LEFT_OUT or "changelog" in path.lower() or "sidebar" in name.lower():
                continue
            with (gzip.open(file) if name.endswith(".gz") else open(file, "rb")) as opened:
                text = opened.read().decode()
            if len(text) >= SHORTEST:
                yield document(project, path, below, text)


def document(project, path, below, text):
    matter = re.match(r"---\n(.*?)\n---\n", text, re.S)
    header = matter.group(1) if matter else ""
    named = re.search(r"^title:\s*(.+)$", header, re.M)
    heading = re.search(r"^#{1,3} +(.+)$", text, re.M) or re.search(r"^(.+)\n=+$", text, re.M)
    if named:
        title = named.group(1).strip().strip("\"'")
    elif heading:
        title = re.sub(r"\s+#+$", "", heading.group(1)).strip()
    else:
        title = os.path.splitext(os.path.basename(below))[0]
    words = re.search(r"^(?:tags|keywords):\s*(.+)$", header, re.M)
    tags = [tag.strip().strip("\"'") for tag in words.group(1).strip("[]").split(",") if tag.strip()] if words else []
    text = text[matter.end():].lstrip("\n") if matter else text
    return {"path": path, "project": project, "title": title, "tags": tags or below.split("/")[:-1], "text": text}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for name, projects in SETS.items():
        out = os.path.join(sys.argv[1], name)
        os.makedirs(out, exist_ok=True)
        found = [one for project, pattern in projects.items() for one in documents(project, pattern)]
        with open(os.path.join(out, "docs.jsonl"), "w", encoding="utf-8") as file:
            for one in sorted(found, key=lambda one: (one["project"], one["path"])):
                file.write(json.dumps(one, ensure_ascii=False) + "\n")
        shutil.copy(os.path.join(HERE, name, "queries.jsonl"), out)
        print(f"{out}: {len(found)} documents")


main()
