"""Readers of addresses: servers of the standard library send files over HTTP and TCP on the loopback interface."""

from __future__ import annotations

import functools
import http.server
import socket
import threading

import pytest
from conftest import picture

import nalu

FRAMES = 20


def write(path):
    nalu.write_video(path, [picture(64, 48, shift) for shift in range(FRAMES)], fps=25)
    return path


def check(address):
    with nalu.open(address) as reader:
        samples = list(reader)
    assert len(samples) == FRAMES and samples[0].is_key_frame
    with pytest.raises(nalu.Error, match="cannot seek"), nalu.open(address) as reader:
        reader.seek(0)


def test_a_reader_opens_http_addresses(tmp_path):
    write(tmp_path / "clip.mkv")
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(tmp_path))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            check(f"http://127.0.0.1:{server.server_port}/clip.mkv")
        finally:
            server.shutdown()


def test_a_reader_opens_tcp_addresses(tmp_path):
    data = write(tmp_path / "clip.ts").read_bytes()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve():
            for _ in range(2):
                client, _ = server.accept()
                with client:
                    try:
                        client.sendall(data)
                    except ConnectionError:
                        pass  # the reader is closed before the end

        threading.Thread(target=serve, daemon=True).start()
        check(f"tcp://127.0.0.1:{server.getsockname()[1]}")


def test_an_address_without_a_server_is_an_error():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(nalu.InputOutputError, match="expected the address of a running sender"):
        nalu.open(f"tcp://127.0.0.1:{port}")
