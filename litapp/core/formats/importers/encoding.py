"""Finds the encoding of a file from its bytes and reads its lines; bytes of another encoding do not end the reading.

Order: byte order mark; UTF-16 without one (every other byte is zero); UTF-8, which other text almost never is by
chance; for the rest the most likely of GB18030, Windows-1252, Mac Roman and what charset-normalizer finds.
A file that is UTF-8 but for a few lines is read as UTF-8, those lines as Windows-1252.
"""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import BinaryIO, cast

from charset_normalizer import from_bytes

from litapp.core.formats.importers.reading import Limits, UnreadableFile

_CHUNK = 1 << 20
_SAMPLE = 1 << 18
_BOMS = (
    (codecs.BOM_UTF8, "utf-8", "UTF-8 with byte order mark"),
    (codecs.BOM_UTF32_LE, "utf-32-le", "UTF-32 little endian"),
    (codecs.BOM_UTF32_BE, "utf-32-be", "UTF-32 big endian"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "UTF-16 little endian"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "UTF-16 big endian"),
)
_LABELS = {
    "utf-8": "UTF-8", "cp1252": "Windows-1252", "gb18030": "GB18030", "mac_roman": "Mac Roman",
    "cp949": "Korean (EUC-KR)", "cp1250": "Windows-1250", "iso8859-2": "ISO 8859-2", "cp1254": "Windows-1254",
}  # fmt: skip
_GUESSED = [
    "big5", "big5hkscs", "cp932", "euc_jp", "cp949", "cp1250", "iso8859_2", "cp1251", "koi8_r", "cp1253", "cp1254",
    "cp1255", "cp1256", "cp1257", "tis_620",
]  # fmt: skip
"""Encodings that exports of references have had. Others are not tried: trying all takes seconds for a damaged file."""
_DECLARED = re.compile(
    rb"(?im)^\s{0,4}[%@/-]{0,4}\s{0,4}(?:comment\s{0,4}\{?\s{0,4})?(?:this file was created.{0,60}\n\s{0,4}%?\s{0,4})?"
    rb"encoding\s{0,4}[:=]\s{0,4}([\w.-]{1,40})"
)
_NOT_EIGHT_BIT = frozenset(f"utf-{size}{end}" for size in (16, 32) for end in ("", "-le", "-be")) | {"utf-8", "ascii"}
"""What a text that is no UTF-8 and has no byte order mark cannot be, whatever it or a guess says."""
_SURROGATE = re.compile("[\udc80-\udcff]")
_OTHER_ENDS = ("\x85", "\u2028", "\u2029")
_FIRST_LINES = 4096
_MARK, _FILLING = "\ufeff", "\n\x1a\x00"
# What a Windows-1252 text has among its high bytes: letters with accents, typographic quotes and dashes.
_LATIN_HIGH = frozenset(
    [
        *range(0xC0, 0x100),
        *b"\x85\x91\x92\x93\x94\x95\x96\x97\x99\xa0\xa9\xab\xae\xb0\xb1\xb2\xb3\xb4\xb5\xb7\xba\xbb\xbf\xdf\x8a\x8e\x9a\x9e",
    ]
)


@dataclass(frozen=True, slots=True)
class TextEncoding:
    """An encoding: `codec` for Python, `label` for people, `skip` bytes of a mark at the start, `mixed` if some lines
    are of another encoding."""

    codec: str
    label: str
    skip: int = 0
    mixed: bool = False


def find_encoding(stream: BinaryIO) -> TextEncoding:
    """The encoding of the text in `stream`, which is read through once and set back to its start."""
    stream.seek(0)
    head = stream.read(_SAMPLE)
    for mark, codec, label in _BOMS:
        if head.startswith(mark):
            return TextEncoding(codec, label, len(mark), codec == "utf-8" and _utf8_lines(stream, head)[1] > 0)
    wide = _utf16(head)
    if wide:
        return wide
    good, bad, sample = _utf8_lines(stream, head)
    if not bad:
        return TextEncoding("utf-8", "UTF-8")
    if good > bad:
        return TextEncoding("utf-8", "UTF-8, some lines in Windows-1252", mixed=True)
    return _eight_bit(head, sample)


def _utf16(head: bytes) -> TextEncoding | None:
    """UTF-16 without a mark: of western text every other byte is zero."""
    part = head[: len(head) // 2 * 2][:4096]
    if len(part) < 4:
        return None
    even, odd = part[0::2].count(0), part[1::2].count(0)
    half = len(part) // 2
    if odd > 0.6 * half and even < 0.1 * half:
        return TextEncoding("utf-16-le", "UTF-16 little endian")
    if even > 0.6 * half and odd < 0.1 * half:
        return TextEncoding("utf-16-be", "UTF-16 big endian")
    return None


def _utf8_lines(stream: BinaryIO, head: bytes) -> tuple[int, int, bytes]:
    """Lines beyond ASCII that are UTF-8, those that are not, and some of the bytes that are not."""
    good = bad = 0
    sample = bytearray()
    rest = b""
    stream.seek(0)
    while block := stream.read(_CHUNK):
        block = rest + block
        cut = block.rfind(b"\n") + 1
        if not cut:
            cut = block.rfind(b"\r") + 1 or (len(block) if len(block) > 8 * _CHUNK else 0)
        rest, block = block[cut:], block[:cut]
        g, b = _count(block, sample)
        good, bad = good + g, bad + b
    g, b = _count(rest, sample)
    stream.seek(0)
    return good + g, bad + b, bytes(sample)


def _count(block: bytes, sample: bytearray) -> tuple[int, int]:
    if block.isascii():
        return 0, 0
    good = bad = 0
    for line in block.splitlines():
        if line.isascii():
            continue
        try:
            line.decode("utf-8")
            good += 1
        except UnicodeDecodeError:
            bad += 1
            if len(sample) < 20_000:
                sample += line[:2000] + b"\n"
    return good, bad


def _eight_bit(head: bytes, sample: bytes) -> TextEncoding:
    declared = _DECLARED.search(head[:4096])
    if declared:
        codec = _known(declared[1].decode("ascii", "replace"))
        if codec and codec not in _NOT_EIGHT_BIT and _decodes(sample, codec):
            return TextEncoding(codec, _LABELS.get(codec, declared[1].decode("ascii", "replace")))
    if _looks_korean(sample):
        return TextEncoding("cp949", _LABELS["cp949"])
    if _looks_chinese(sample):
        return TextEncoding("gb18030", "GB18030")
    latin = _latin_of_the_east(sample)
    if latin:
        return TextEncoding(latin, _LABELS[latin])
    high = [byte for byte in sample if byte >= 0x80]
    usual = sum(byte in _LATIN_HIGH for byte in high)
    if _decodes(sample, "cp1252") and usual >= 0.8 * len(high) and not _runs_of_high(sample):
        return TextEncoding("cp1252", "Windows-1252")
    if _looks_mac(sample):
        return TextEncoding("mac_roman", "Mac Roman")
    best = from_bytes(sample, cp_isolation=_GUESSED).best()
    codec = _known(best.encoding) if best is not None else None
    if codec and codec not in _NOT_EIGHT_BIT:
        return TextEncoding(codec, _LABELS.get(codec, f"{codec} (guessed)"))
    return TextEncoding("cp1252", "Windows-1252 (guessed)")


def _known(name: str) -> str | None:
    name = {"ansi": "cp1252", "cp-1252": "cp1252"}.get(name.lower(), name)
    try:
        codec = codecs.lookup(name).name
    except LookupError:
        return None
    return "cp1252" if codec in ("iso8859-1", "latin-1", "cp1250") else {"mac-roman": "mac_roman"}.get(codec, codec)


def _decodes(sample: bytes, codec: str) -> bool:
    try:
        sample.decode(codec)
    except (UnicodeDecodeError, LookupError):
        return False
    return True


def _runs_of_high(sample: bytes) -> bool:
    """Whether most high bytes stand beside another one: words of a script that is not Latin."""
    runs = [len(run) for run in re.findall(rb"[\x80-\xff]+", sample)]
    return bool(runs) and sum(n for n in runs if n >= 3) > 0.5 * sum(runs)


def _looks_chinese(sample: bytes) -> bool:
    """GB18030 text: decodes, and most of what is beyond ASCII are common CJK characters in runs of even bytes."""
    if not _decodes(sample, "gb18030"):
        return False
    text = sample.decode("gb18030")
    wide = [sign for sign in text if ord(sign) > 0x7F]
    cjk = sum(
        "\u4e00" <= sign <= "\u9fff" or "\u3000" <= sign <= "\u303f" or "\uff00" <= sign <= "\uffef" for sign in wide
    )
    common = len(re.findall(rb"[\xb0-\xd7][\xa1-\xfe]", sample))
    return cjk > 0.8 * len(wide) and common > 0.6 * cjk and _runs_of_high(sample)


def _looks_korean(sample: bytes) -> bool:
    """EUC-KR keeps Hangul within B0 to C8; of Chinese text in GB2312 about half the characters are beyond."""
    leads = [pair[0] for pair in re.findall(rb"[\xa1-\xfe]{2}", sample)]
    hangul = sum(0xB0 <= lead <= 0xC8 for lead in leads)
    return hangul >= 8 and hangul > 0.95 * len(leads) and _decodes(sample, "cp949")


def _latin_of_the_east(sample: bytes) -> str:
    """Polish and Turkish: told by letters within words where Windows-1252 has signs (³, ¿), and by letters that
    it keeps for Icelandic, without the others of Icelandic."""
    if _runs_of_high(sample):
        return ""
    within = set(re.findall(rb"(?<=[a-z\x80-\xff])[\x80-\xff](?=[a-z\x80-\xff])", sample))
    if within & {b"\xb3", b"\xbf"} and not within & {b"\xa1", b"\xa2", b"\xac", b"\xad"}:
        if within & {b"\xb1", b"\xb6", b"\xbc"}:
            return "iso8859-2"
        if within & {b"\xb9", b"\x9c", b"\x9f", b"\xea", b"\xe6", b"\xf3", b"\xf1"}:
            return "cp1250"
    high = {bytes([byte]) for byte in sample if byte >= 0xC0}
    if len(high & {b"\xfe", b"\xf0", b"\xfd"}) >= 2 and high <= _TURKISH:
        return "cp1254"
    return ""


_TURKISH = frozenset(bytes([byte]) for byte in b"\xfe\xf0\xfd\xde\xd0\xdd\xfc\xf6\xe7\xdc\xd6\xc7\xe2\xee\xfb")


def _looks_mac(sample: bytes) -> bool:
    """Mac Roman keeps é, ü, ö … at 0x80-0x9f within words, where Windows-1252 has signs and nothing."""
    inside = re.findall(rb"(?<=[A-Za-z])[\x80-\x9f](?=[a-z])", sample)
    text = sample.decode("mac_roman")
    letters = re.findall(r"(?<=[A-Za-z])[ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü](?=[a-z])", text)
    high = sum(byte >= 0x80 for byte in sample)
    return len(inside) > 0.5 * high and len(letters) >= len(inside)


def read_lines(stream: BinaryIO, encoding: TextEncoding, limits: Limits) -> Iterator[tuple[int, str]]:
    """Number and text of each line without its end. CR, LF, CRLF and CR CR LF end a line; other line signs of Unicode
    (NEL, U+2028, U+2029) only in a file that begins with one of them and none of those.

    A byte order mark at the start of a later line is where two files were put together: a blank line comes before it.
    What old systems fill a file up with (NUL, Ctrl-Z) is no text. Raises UnreadableFile for a line beyond
    `limits.line`.
    """
    text = _opened(stream, encoding)
    number = 0
    while line := text.readline(limits.line + 1):
        number += 1
        if len(line) > limits.line:
            raise UnreadableFile(
                "line_too_long",
                f"Line {number} has more than {limits.line:,} characters: this is no list of references.",
                "Export the records again from the database, in one of the formats of the import page.",
                number,
            )
        if not line.isascii():
            if _SURROGATE.search(line):
                line = repaired(line)
            if line[0] == _MARK:
                line = line.lstrip(_MARK)
                if number > 1:
                    yield number, ""
        yield number, line.rstrip(_FILLING)


def read_text(stream: BinaryIO, encoding: TextEncoding, size: int) -> Iterator[str]:
    """The text in pieces of about `size` characters, line ends as LF."""
    text = _opened(stream, encoding)
    while piece := text.read(size):
        yield repaired(piece) if not piece.isascii() else piece


def repaired(text: str) -> str:
    """Text with bytes that were no UTF-8 (held as lone surrogates): those bytes are read as Windows-1252."""
    return _SURROGATE.sub(lambda found: bytes([ord(found[0]) - 0xDC00]).decode("cp1252", "replace"), text)


def _opened(stream: BinaryIO, encoding: TextEncoding) -> io.TextIOWrapper:
    errors = "surrogateescape" if encoding.codec == "utf-8" else "replace"
    stream.seek(encoding.skip)
    head = stream.read(_FIRST_LINES).decode(encoding.codec, errors)
    other = next((sign for sign in _OTHER_ENDS if sign in head), None) if not {"\n", "\r"} & set(head) else None
    ends: dict[bytes, bytes] = {other.encode(encoding.codec): "\n".encode(encoding.codec)} if other else {}
    if "16" not in encoding.codec and "32" not in encoding.codec:
        ends[b"\r\r\n"] = b"\r\n"
    stream.seek(encoding.skip)
    kept = _Kept(stream, ends)
    return io.TextIOWrapper(cast("io.BufferedReader", kept), encoding=encoding.codec, errors=errors, newline=None)


class _Kept(io.BufferedIOBase):
    """Lends a stream to a TextIOWrapper without letting it close the stream; `ends` are bytes to put for others."""

    def __init__(self, stream: BinaryIO, ends: Mapping[bytes, bytes]) -> None:
        self._stream = stream
        self._ends = ends
        self._rest = b""

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1, /) -> bytes:
        return self.read1(-1 if size is None else size)

    def read1(self, size: int = -1, /) -> bytes:
        while True:
            block = self._stream.read(size)
            data = self._rest + block
            self._rest = b""
            if block:  # an end that the block cuts is looked at with the next one
                cut = max((n for end in self._ends for n in range(1, len(end)) if data.endswith(end[:n])), default=0)
                data, self._rest = data[: len(data) - cut], data[len(data) - cut :]
            for end, instead in self._ends.items():
                if end in data:
                    data = data.replace(end, instead)
            if data or not block:
                return data
