"""Sets of article numbers as bits of one integer: joining thousands of lists stays cheap in time and memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def from_numbers(numbers: Iterable[int], largest: int) -> int:
    """The set of `numbers`, each between 0 and `largest`."""
    bits = bytearray(largest // 8 + 1)
    for number in numbers:
        bits[number >> 3] |= 1 << (number & 7)
    return int.from_bytes(bits, "little")


def numbers_of(bits: int) -> Iterator[int]:
    """The members, smallest first."""
    data = bits.to_bytes((bits.bit_length() + 7) // 8, "little")
    for position, byte in enumerate(data):
        if byte:
            base = position << 3
            for offset in range(8):
                if byte >> offset & 1:
                    yield base + offset


def members_in_order(bits: int, order: Iterable[int]) -> Iterator[int]:
    """The members of the set in the given order."""
    data = bits.to_bytes((bits.bit_length() + 7) // 8, "little")
    length = len(data)
    for number in order:
        if number >> 3 < length and data[number >> 3] >> (number & 7) & 1:
            yield number
