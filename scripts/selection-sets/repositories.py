#!/usr/bin/env python3
"""Writes the selection set `projects` from clones of public repositories.

    scripts/selection-sets/repositories.py CLONES OUT [--list PROJECT]

CLONES holds one Git directory per project, `owner+name/repo`, with its history. OUT/projects becomes a set in the form
of the selection bench. The documents and the commit messages are other people's and stay out of the repository; the
messages in `projects/` are ours:

    projects/questions.jsonl   questions in users' words, and off-topic ones that share words with the documents
    projects/orders.txt        everyday orders about the code at hand, written independently of any project

Commits: subjects of commits that changed code and one or two of the documents; a page that a commit touched is labelled.
Short questions: a document's own title, in a few forms. Both are drawn with a fixed seed.
"""
import argparse
import json
import os
import random
import re
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
# Project: repository, day of the snapshot, roots of the documents, what is left out below them.
PROJECTS = {
    "bitcoin": ("bitcoin+bitcoin", "2024-06-01", ["doc/"], r"doxygen|^doc/release-notes/release-notes-0\.[0-8]"),
    "cargo": ("rust-lang+cargo", "2025-01-01", ["src/doc/src/", "src/doc/contrib/src/"], r"SUMMARY|src/commands/"),
    "docusaurus": ("facebook+docusaurus", "2025-01-01", ["website/docs/"], r"/_"),
    "electron": ("electron+electron", "2025-01-01", ["docs/"], r"structures/"),
    "eslint": ("eslint+eslint", "2025-01-01", ["docs/src/"], r"/pages/|/library/|/_"),
    "fastapi": ("tiangolo+fastapi", "2024-01-15", ["docs/en/docs/"], r"/reference/"),
    "gitea": ("go-gitea+gitea", "2023-05-01", ["docs/content/doc/"], r"\.(fr-fr|zh-cn|zh-tw|de-de|nl-nl|pt-br)\.md|_index"),
    "helix": ("helix-editor+helix", "2025-01-10", ["book/src/"], r"SUMMARY"),
    "immich": ("immich-app+immich", "2024-10-01", ["docs/docs/"], r"/partials/|/_"),
    "jj": ("martinvonz+jj", "2024-06-01", ["docs/"], r""),
    "julia": ("JuliaLang+julia", "2024-06-01", ["doc/src/"], r""),
    "mermaid": ("mermaid-js+mermaid", "2025-01-01", ["packages/mermaid/src/docs/"], r""),
    "phoenix": ("phoenixframework+phoenix", "2024-06-01", ["guides/"], r""),
    "podman": ("containers+podman", "2024-06-01", ["docs/source/markdown/", "docs/tutorials/"], r"/options/"),
    "polars": ("pola-rs+polars", "2025-01-01", ["docs/source/"], r"/_"),
    "rails": ("rails+rails", "2024-06-01", ["guides/source/"], r""),
    "redis": ("redis+redis-doc", "2023-06-01", ["docs/", "commands/"], r""),
}
# Never looked at while the selector was tuned.
HELD_OUT = {
    "laravel": ("laravel+docs", "2024-06-01", [""], r""),
    "duckdb": ("duckdb+duckdb-web", "2024-06-01", ["docs/"], r"docs/archive|/_"),
}
AT_THE_TOP = re.compile(r"(README|CONTRIBUTING|CHANGELOG|SECURITY|NEWS)\.md$", re.I)
SHORTEST, LONGEST = 300, 60_000
COMMITS, TITLES, ORDERS = 12, 10, 40
TITLE_FORMS = ["explain {}", "{}", "how does {} work?", "what is {}?", "tell me about {}"]
GENERIC = re.compile(r"^(introduction|overview|index|readme|contents|general|about|home|guide|get(ting)? started|installation|faq|notes?)$", re.I)
TRIVIAL = re.compile(r"\b(typo|bump|release|merge|revert|changelog|lint|format|deps|backport|version|wording|spelling|translat)", re.I)


def git(directory, *words):
    return subprocess.run(["git", "-C", directory, *words], check=True, capture_output=True).stdout.decode("utf-8", "replace")


def title_of(header, text, below):
    named = re.search(r"^title:\s*(.+)$", header, re.M)
    manual = re.match(r"%\s*(\S+)", text)
    prose = re.sub(r"^(```|~~~).*?^\1", "", text, flags=re.M | re.S)
    heading = re.search(r"^#{1,3} +(.+)$|^([^\s#*-].+)\n=+$", prose, re.M)
    if named:
        return named.group(1).strip().strip("\"'")
    if manual:
        return manual.group(1)
    if heading:
        title = re.sub(r"\{[#.][^}]*\}|\[([^]]*)\]\([^)]*\)|[`*]", lambda m: m.group(1) or "", heading.group(1) or heading.group(2))
        return re.sub(r"\s+#+$", "", title).strip()
    return os.path.splitext(os.path.basename(below))[0]


def documents(project, directory, commit, roots, left_out):
    names = git(directory, "ls-tree", "-r", "--name-only", commit).splitlines()
    wanted = []
    for name in names:
        is_page = name.endswith((".md", ".mdx", ".md.in")) and any(name.startswith(root) for root in roots)
        if (is_page and not (left_out and re.search(left_out, name))) or AT_THE_TOP.fullmatch(name):
            wanted.append(name)
    for name in wanted:
        text = git(directory, "show", f"{commit}:{name}")[:LONGEST]
        if len(text) < SHORTEST:
            continue
        root = max((root for root in roots if name.startswith(root)), key=len, default="")
        below = re.sub(r"\.(mdx|md\.in)$|\.en-us\.md$", ".md", name[len(root):])
        matter = re.match(r"-{3,} *\r?\n(.*?)\r?\n-{3,} *\r?\n", text, re.S)
        header = matter.group(1) if matter else ""
        text = text[matter.end():].lstrip("\n") if matter else text
        yield name, {"path": f"{project}/{below}", "project": project, "title": title_of(header, text, below),
                     "tags": below.split("/")[:-1], "text": text}


def commits(project, directory, snapshot, pages, random_):
    """Messages of commits before and after the snapshot that changed code and one or two pages."""
    found = {"commit-past": [], "commit-future": []}
    for kind, span in (("commit-past", snapshot), ("commit-future", f"{snapshot}..HEAD")):
        log = git(directory, "log", "-n", "6000", "--no-merges", "--no-renames", "--name-only", "--format=%x01%h%x02%s%x02%b%x03", span)
        for entry in log.split("\x01")[1:]:
            head, _, files = entry.partition("\x03")
            sha, subject, body = head.split("\x02", 2)
            files = [file for file in files.split("\n") if file]
            touched = [pages[file] for file in files if file in pages]
            code = [file for file in files if not file.endswith((".md", ".mdx", ".txt", ".lock", ".json"))]
            subject = re.sub(r"\s*\(#\d+\)|^[\w/*-]+(\([^)]*\))?!?:\s*|^\S+ (?=[A-Z][a-z]+ )\B", "", subject).strip()
            if not 1 <= len(touched) <= 2 or not code or len(files) > 12 or TRIVIAL.search(subject) or len(subject.split()) < 4:
                continue
            if any(re.search(r"changelog|release|news|contributing|readme", page, re.I) for page in touched):
                continue
            paragraph = body.strip().split("\n\n")[0].replace("\n", " ")
            usable = 40 < len(paragraph) < 400 and not re.search(r"signed-off|co-authored|https?://|fixes #|^\*|pull request", paragraph, re.I)
            text = f"{subject}\n\n{paragraph}" if usable and random_.random() < 0.5 else subject
            found[kind].append({"kind": kind, "text": text, "relevant": sorted(touched), "src": sha})
    chosen = []
    for kind, rows in found.items():
        seen = set()
        random_.shuffle(rows)
        for row in rows:
            if row["relevant"][0] not in seen and len(seen) < COMMITS // 2:
                seen.add(row["relevant"][0])
                chosen.append(row)
    return chosen


def short_questions(documents_, random_):
    by_title = {}
    for one in documents_:
        by_title.setdefault(one["title"].lower(), []).append(one["path"])
    titles = [one["title"] for one in documents_ if not GENERIC.match(one["title"]) and len(one["title"].split()) <= 6]
    titles = [title for title in titles if not re.search(r"release notes|changelog|^[\d.]+$|readme", title, re.I)]
    random_.shuffle(titles)
    for number, title in enumerate(dict.fromkeys(titles[:TITLES])):
        name = title if title.isupper() or random_.random() < 0.3 else title[0].lower() + title[1:]
        yield {"kind": "short", "text": TITLE_FORMS[number % len(TITLE_FORMS)].format(name), "relevant": by_title[title.lower()], "src": "title"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clones")
    parser.add_argument("out")
    parser.add_argument("--list", help="print the documents of a project, to write questions about them")
    parser.add_argument("--held-out", action="store_true", help="build the projects that were kept apart")
    arguments = parser.parse_args()
    projects, name = (HELD_OUT, "held-out") if arguments.held_out else (PROJECTS, "projects")
    with open(os.path.join(HERE, "projects", "orders.txt"), encoding="utf-8") as file:
        orders = [line.strip() for line in file if line.strip()]
    questions = []
    with open(os.path.join(HERE, "projects", f"questions{'-held-out' * arguments.held_out}.jsonl"), encoding="utf-8") as file:
        questions = [json.loads(line) for line in file if line.strip()]
    out = os.path.join(arguments.out, name)
    os.makedirs(out, exist_ok=True)
    all_documents, all_queries = [], []
    for number, (project, (repository, day, roots, left_out)) in enumerate(projects.items()):
        if arguments.list and arguments.list != project:
            continue
        directory = os.path.join(arguments.clones, repository, "repo")
        snapshot = git(directory, "rev-list", "-1", f"--before={day}", "HEAD").strip()
        found = list(documents(project, directory, snapshot, roots, left_out))
        pages = {file: one["path"] for file, one in found}
        found = list({one["path"]: one for _, one in found}.values())
        if arguments.list:
            for one in found:
                heads = re.findall(r"^#{2,3} +(.+)$", one["text"], re.M)
                print(f"{one['path'].split('/', 1)[1]} | {one['title']} | {' · '.join(heads)[:int(os.environ.get('HEADS', 140))]}")
            return
        random_ = random.Random(f"{project} {day}")
        queries = commits(project, directory, snapshot, pages, random_)
        queries += short_questions(found, random_)
        known = {one["path"] for one in found}
        for question in questions:
            if question["project"] == project:
                wrong = [path for path in question["relevant"] if f"{project}/{path}" not in known]
                if wrong:
                    raise SystemExit(f"error: {project} has no {wrong}")
                queries.append({**question, "relevant": [f"{project}/{path}" for path in question["relevant"]], "src": "authored"})
        for at in range(ORDERS):
            place = (number * ORDERS + at) % len(orders)
            queries.append({"kind": "order", "text": orders[place], "relevant": [], "src": f"order {place}"})
        for at, query in enumerate(queries):
            all_queries.append({"id": f"{project}-{at:03}", **query, "project": project})
        all_documents += found
        print(f"{project}: {len(found)} documents, {len(queries)} messages, {snapshot[:12]}")
    for file, rows in (("docs.jsonl", all_documents), ("queries.jsonl", all_queries)):
        with open(os.path.join(out, file), "w", encoding="utf-8") as opened:
            for row in rows:
                opened.write(json.dumps(row, ensure_ascii=False) + "\n")
    print(f"{out}: {len(all_documents)} documents, {len(all_queries)} messages")


main()
