"""The pupil: one vector per word piece, so that the mean over a text comes close to the teacher's vector of that text.

Goes in: token ids of each text, the teacher's vectors of the texts and of each piece alone. Comes out: the table (`table.bin`),
whose layout `crates/core/src/select/vectors.rs` describes.
"""
import struct
from collections import Counter

import numpy as np
from scipy import sparse

DIMENSIONS = 128


def principal(vectors, count):
    """The directions in which the teacher's vectors differ most. The mean is taken out: it is in every text and tells none apart."""
    mean = vectors.mean(0)
    _, _, axes = np.linalg.svd((vectors - mean).T @ (vectors - mean))
    return mean, axes[:count].T


def fit(rows, texts, alone, frequency, ridge=0.3, rounds=60):
    """Ridge regression towards a prior: a piece seen rarely keeps what the teacher says of it alone, a frequent one is learned.

    `rows`: sparse (texts x pieces), each row summing to 1. Solved by conjugate gradients for all dimensions at once.
    """
    prior = alone * (1e-3 / (1e-3 + frequency))[:, None]
    residual_target = texts - rows @ prior
    penalty = ridge / max(1, rows.shape[0]) * np.ones(rows.shape[1])
    matrix = rows.T.tocsr() / rows.shape[0]
    apply = lambda x: matrix @ (rows @ x) + penalty[:, None] * x
    x = np.zeros_like(prior)
    r = matrix @ residual_target
    p, old = r.copy(), (r * r).sum(0)
    for _ in range(rounds):
        ap = apply(p)
        alpha = old / np.maximum((p * ap).sum(0), 1e-20)
        x += alpha * p
        r -= alpha * ap
        new = (r * r).sum(0)
        p = r + new / np.maximum(old, 1e-20) * p
        old = new
    return prior + x


def table(sequences, targets, alone, vocabulary, is_kept):
    """Returns the bytes of the table and the mean cosine between pupil and teacher (in sample)."""
    size = len(vocabulary)
    counts = Counter(token for ids in sequences for token in ids)
    frequency = np.zeros(size)
    for token, count in counts.items():
        frequency[token] = count
    frequency /= frequency.sum()
    indptr, indices, data = [0], [], []
    for ids in sequences:
        indices.extend(ids)
        data.extend([1.0 / max(1, len(ids))] * len(ids))
        indptr.append(len(indices))
    rows = sparse.csr_matrix((np.array(data, np.float32), indices, indptr), shape=(len(sequences), size))
    rows.sum_duplicates()
    mean, axes = principal(targets, DIMENSIONS)
    project = lambda vectors: ((vectors - mean) @ axes).astype(np.float32)
    vectors = fit(rows, project(targets), project(alone), frequency)
    guess, truth = rows @ vectors, project(targets)
    cosine = (guess * truth).sum(1) / np.maximum(np.linalg.norm(guess, axis=1) * np.linalg.norm(truth, axis=1), 1e-9)
    return pack(vectors, vocabulary, is_kept), float(cosine.mean())


def pack(vectors, vocabulary, is_kept):
    kept = sorted((name.encode(), at) for name, at in vocabulary.items() if is_kept(name))
    names, ends, rows = b"", [], []
    for name, at in kept:
        names += name
        ends.append(len(names))
        scale = max(float(np.abs(vectors[at]).max()), 1e-9) / 127
        rows.append(struct.pack("<f", scale) + np.round(vectors[at] / scale).astype(np.int8).tobytes())
    return b"BVEC" + struct.pack("<II", len(kept), len(names)) + np.array(ends, "<u4").tobytes() + names + b"".join(rows)
