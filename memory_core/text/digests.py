"""Short digests that stand for texts."""

from __future__ import annotations

try:  # `import hashlib` costs a millisecond for the same function
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

ID_BYTES = 5  # 40 bits: of 10,000 items two have one id in one of 20,000 memories


def hash_text(text: str) -> str:
    """Return ten hexadecimal digits that stand for a text, whatever it holds."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=ID_BYTES).hexdigest()


def hash_bytes(data: bytes | memoryview, size: int) -> bytes:
    """Return `size` bytes that differ for other data."""
    return blake2b(data, digest_size=size).digest()


def sign_text(key: bytes, *texts: str) -> str:
    """Return ten hexadecimal digits that only who has the key can know before."""
    whole = "\0".join(texts).encode("utf-8", "surrogatepass")
    return blake2b(whole, digest_size=ID_BYTES, key=key).hexdigest()


def hash_long(text: str) -> str:
    """Return 32 hexadecimal digits, for texts that somebody may want to be taken for another."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
