"""A server that speaks TLS with a certificate that nobody trusts."""

import ssl
import subprocess
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.kit.peers import running
from tests.needs import need_program


@contextmanager
def self_signed(folder, handler=BaseHTTPRequestHandler):
    """The address of a server that speaks TLS, with a certificate for localhost in `c.pem`."""
    tool = need_program("openssl")
    certificate, key = folder / "c.pem", folder / "k.pem"
    subprocess.run(
        [tool, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
         "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key,
         "-out", certificate],
        check=True, capture_output=True,
    )  # fmt: skip
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.handle_error = lambda *args: None
    server.socket = context.wrap_socket(server.socket, server_side=True)
    with running(server) as port:
        yield f"https://127.0.0.1:{port}"
