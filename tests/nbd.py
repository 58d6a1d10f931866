"""A client of the NBD protocol, written from its description alone."""

from __future__ import annotations

import itertools
import socket
import struct

GREETING = struct.Struct(">8s8sH")
OPTION = struct.Struct(">8sII")
REPLY = struct.Struct(">QIII")
REQUEST = struct.Struct(">IHHQQI")

READ, WRITE, DISCONNECT, FLUSH, TRIM, ZERO = 0, 1, 2, 3, 4, 6
FUA, NO_HOLE, DF = 1, 2, 4
EXPORT_NAME, ABORT, LIST, INFO, GO, STRUCTURED = 1, 2, 3, 6, 7, 8
ACK, TOLD = 1, 3
REPLY_MAGIC, CHUNK_MAGIC = 0x67446698, 0x668E33EF
EIO, EINVAL, ENOSPC = 5, 22, 28


class NbdError(Exception):
    """What the server answers to a command that failed; `args[0]` is its number."""


class GoneError(Exception):
    """The server has closed the connection."""


class Client:
    """A connection over which commands may be sent, one by one or many at a time."""

    def __init__(self, path: object, structured: bool = True, export: bytes = b"") -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(60)
        self.structured = structured
        self.export = export
        self.cookies = itertools.count(1)
        self.sizes: dict[int, int] = {}
        self.block_sizes: tuple[int, ...] = ()
        try:
            self.socket.connect(str(path))
            self._shake_hands()
        except BaseException:
            self.socket.close()
            raise

    def _shake_hands(self) -> None:
        magic, options, self.handshake_flags = GREETING.unpack(self._take(GREETING.size))
        assert (magic, options) == (b"NBDMAGIC", b"IHAVEOPT")
        self.socket.sendall(struct.pack(">I", self.handshake_flags & 3))
        if self.structured:
            assert self.option(STRUCTURED) == [(ACK, b"")]
        self.bytes = self.flags = 0
        for kind, data in self.option(
            GO, struct.pack(">I", len(self.export)) + self.export + b"\0\0"
        ):
            information = struct.unpack(">H", data[:2])[0] if kind == TOLD else None
            if information == 0:
                self.bytes, self.flags = struct.unpack(">QH", data[2:])
            elif information == 3:
                self.block_sizes = struct.unpack(">III", data[2:])

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *error: object) -> None:
        self.socket.close()

    def option(self, number: int, data: bytes = b"") -> list[tuple[int, bytes]]:
        self.socket.sendall(OPTION.pack(b"IHAVEOPT", number, len(data)) + data)
        replies = []
        while True:
            magic, about, kind, length = REPLY.unpack(self._take(REPLY.size))
            assert (magic, about) == (0x3E889045565A9, number)
            replies.append((kind, self._take(length)))
            if kind == ACK or kind >> 31:
                return replies

    def send(
        self, command: int, offset: int = 0, length: int = 0, data: bytes = b"", flags: int = 0
    ) -> int:
        cookie = next(self.cookies)
        if command == READ:
            self.sizes[cookie] = length
        head = REQUEST.pack(0x25609513, flags, command, cookie, offset, length or len(data))
        self.socket.sendall(head + data)
        return cookie

    def receive(self) -> tuple[int, int, bytes]:
        """Return cookie, error and data of the next answer."""
        magic = struct.unpack(">I", self._take(4))[0]
        if magic == REPLY_MAGIC:
            error, cookie = struct.unpack(">IQ", self._take(12))
            size = self.sizes.pop(cookie, 0)
            assert not (self.structured and size and not error), "reads are answered in chunks"
            return cookie, error, b"" if error else self._take(size)
        assert (magic, self.structured) == (CHUNK_MAGIC, True)
        parts: dict[int, bytes] = {}
        error = 0
        while True:
            flags, kind, cookie, length = struct.unpack(">HHQI", self._take(16))
            data = self._take(length)
            if kind == 1:
                parts[struct.unpack(">Q", data[:8])[0]] = data[8:]
            elif kind == 32769:
                error = struct.unpack(">I", data[:4])[0]
            if flags & 1:
                break
            assert self._take(4) == struct.pack(">I", CHUNK_MAGIC), "chunks of one answer"
        size = self.sizes.pop(cookie)
        found = b"".join(parts[offset] for offset in sorted(parts))
        assert error or len(found) == size
        return cookie, error, found

    def _answered(self, cookie: int) -> bytes:
        about, error, data = self.receive()
        assert about == cookie
        if error:
            raise NbdError(error)
        return data

    def read(self, offset: int, length: int, flags: int = 0) -> bytes:
        return self._answered(self.send(READ, offset, length, flags=flags))

    def write(self, offset: int, data: bytes, flags: int = 0) -> None:
        self._answered(self.send(WRITE, offset, data=data, flags=flags))

    def flush(self) -> None:
        self._answered(self.send(FLUSH))

    def trim(self, offset: int, length: int) -> None:
        self._answered(self.send(TRIM, offset, length))

    def zero(self, offset: int, length: int, flags: int = 0) -> None:
        self._answered(self.send(ZERO, offset, length, flags=flags))

    def _take(self, count: int) -> bytes:
        parts = []
        while count:
            part = self.socket.recv(min(count, 1 << 20))
            if not part:
                raise GoneError
            parts.append(part)
            count -= len(part)
        return b"".join(parts)
