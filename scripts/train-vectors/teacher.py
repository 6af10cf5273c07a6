"""The teacher: MiniLM sentence vectors with numpy alone (no torch, no ONNX), read from the safetensors file.

Goes in: texts. Comes out: unit vectors (384 numbers), mean-pooled as the model's own configuration says.
"""
import json
import struct

import numpy as np
from scipy.special import erf
from tokenizers import Tokenizer


def read_safetensors(path):
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        data = file.read()
    return {
        name: np.frombuffer(data, np.float32, offset=entry["data_offsets"][0], count=int(np.prod(entry["shape"])))
        .reshape(entry["shape"])
        .copy()
        for name, entry in header.items()
        if name != "__metadata__" and entry["dtype"] == "F32"
    }


class Teacher:
    heads = 12

    def __init__(self, directory):
        self.weights = {name.removeprefix("bert."): value for name, value in read_safetensors(f"{directory}/model.safetensors").items()}
        self.tokenizer = Tokenizer.from_file(f"{directory}/tokenizer.json")
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        self.layers = 1 + max(int(name.split(".")[2]) for name in self.weights if name.startswith("encoder.layer."))

    def _norm(self, x, name):
        centred = x - x.mean(-1, keepdims=True)
        scale = np.sqrt((centred * centred).mean(-1, keepdims=True) + 1e-12)
        return centred / scale * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]

    def _dense(self, x, name):
        return x @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def encode_ids(self, ids, mask):
        """`ids`, `mask`: arrays (batch, length); returns unit vectors (batch, 384)."""
        w, (batch, length) = self.weights, ids.shape
        x = w["embeddings.word_embeddings.weight"][ids] + w["embeddings.position_embeddings.weight"][:length] + w["embeddings.token_type_embeddings.weight"][0]
        x = self._norm(x, "embeddings.LayerNorm").astype(np.float32)
        width = x.shape[-1] // self.heads
        bias = np.where(mask[:, None, None, :] > 0, 0.0, -1e9).astype(np.float32)
        split = lambda y: y.reshape(batch, length, self.heads, width).transpose(0, 2, 1, 3)
        for layer in range(self.layers):
            at = f"encoder.layer.{layer}"
            q, k, v = (split(self._dense(x, f"{at}.attention.self.{name}")) for name in ("query", "key", "value"))
            scores = q @ k.transpose(0, 1, 3, 2) / np.float32(np.sqrt(width)) + bias
            scores = np.exp(scores - scores.max(-1, keepdims=True))
            scores /= scores.sum(-1, keepdims=True)
            attended = (scores @ v).transpose(0, 2, 1, 3).reshape(batch, length, -1)
            x = self._norm(x + self._dense(attended, f"{at}.attention.output.dense"), f"{at}.attention.output.LayerNorm")
            inner = self._dense(x, f"{at}.intermediate.dense")
            inner = inner * 0.5 * (1 + erf(inner / np.float32(np.sqrt(2))))
            x = self._norm(x + self._dense(inner.astype(np.float32), f"{at}.output.dense"), f"{at}.output.LayerNorm")
        pooled = (x * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)
        return (pooled / np.linalg.norm(pooled, axis=1, keepdims=True)).astype(np.float32)

    def encode(self, sequences, tokens_per_batch=2048, longest=64, progress=None):
        """Encodes lists of token ids (with [CLS] and [SEP]); batches are made of equal lengths, so nothing is padded much."""
        order = sorted(range(len(sequences)), key=lambda i: (len(sequences[i]), i))
        out = np.zeros((len(sequences), 384), np.float32)
        at = 0
        while at < len(order):
            size = max(1, tokens_per_batch // min(longest, len(sequences[order[at]])))
            chunk = order[at : at + size]
            length = min(longest, max(len(sequences[i]) for i in chunk))
            ids, mask = np.zeros((len(chunk), length), np.int64), np.zeros((len(chunk), length), np.float32)
            for row, i in enumerate(chunk):
                tokens = sequences[i][:length]
                ids[row, : len(tokens)], mask[row, : len(tokens)] = tokens, 1
            out[chunk] = self.encode_ids(ids, mask)
            at += len(chunk)
            if progress:
                progress(at, len(order))
        return out
