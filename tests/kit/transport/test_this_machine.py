"""A name of this machine leads to this machine alone, whatever a resolver says of it."""

import asyncio
import os
import socket
import ssl
from http.server import BaseHTTPRequestHandler

import httpx2
import pytest

from conformance.kit.model.exchange import HttpRequest, ModelCall, Trouble
from conformance.kit.model.settings import Settings
from conformance.kit.transport.gateway_connection import GatewayConnection
from conformance.kit.transport.http_connection import HttpConnection
from conformance.kit.transport.kept_connections import OnThisMachine
from fixtures.ports import free_port
from tests.kit.peers import always, head, serving, whole
from tests.kit.tls import self_signed

HERE = ["::1", "127.0.0.1"]
"""Nobody listens at the first."""


@pytest.fixture
def lead(monkeypatch):
    """Lets each name lead to these addresses; what is connected to is in the list that it gives."""

    def lead(*addresses):
        loop, tried = asyncio.get_running_loop(), []
        connect = loop.create_connection

        async def found(host, port, **_):
            kinds = {True: socket.AF_INET6, False: socket.AF_INET}
            return [(kinds[":" in each], 1, 6, "", (each, port)) for each in addresses]

        async def connected(factory, host, port, **more):
            tried.append(host)
            if host not in HERE:
                raise OSError("a test lets nothing leave this machine")
            return await connect(factory, host, port, **more)

        monkeypatch.setattr(loop, "getaddrinfo", found)
        monkeypatch.setattr(loop, "create_connection", connected)
        return tried

    return lead


async def asked(url):
    connection = HttpConnection(url, timeout=30.0, headers=(), width=4)
    received = await connection.send(HttpRequest("GET", url + "/x"))
    await connection.close()
    return received


async def called(url):
    connection = GatewayConnection(Settings(provider=("127.0.0.1", free_port())))
    await connection.start()
    received = await connection.send(ModelCall("POST", url, body=b"{}", nonce="afn-x"))
    await connection.close()
    return received


WAYS = [asked, called]
"""To a server, and to a gateway."""


@pytest.mark.parametrize("way", WAYS)
def test_a_name_of_this_machine_is_connected_to_at_any_of_its_addresses(lead, way):
    async def main():
        async with serving(always(whole(b"{}"))) as peer:
            tried = lead(*HERE)
            return await way(peer.url.replace("127.0.0.1", "localhost")), tried

    received, tried = asyncio.run(main())
    assert received.answer.status == 200
    assert tried == HERE


@pytest.mark.parametrize("elsewhere", ["192.0.2.1", "2001:db8::1", "0.0.0.0", "fe80::1%1"])
@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("way", WAYS)
def test_a_name_of_this_machine_that_leads_to_another_is_not_followed(lead, way, scheme, elsewhere):
    async def main():
        tried = lead(elsewhere)
        return await way(f"{scheme}://localhost:9"), tried

    received, tried = asyncio.run(main())
    assert tried == []
    assert (received.trouble, received.detail) == (Trouble.REFUSED, "localhost is not this machine")


@pytest.mark.needs
def test_a_certificate_has_to_be_that_of_the_name_and_trusted(lead, tmp_path):
    """What TLS refuses is not hidden by another address of the name, where nobody listens."""

    async def status(url, host, **trusted):
        lead(*reversed(HERE))
        way = OnThisMachine(httpx2.AsyncHTTPTransport(trust_env=False, **trusted))
        async with httpx2.AsyncClient(transport=way) as client:
            return (await client.get(url.replace("127.0.0.1", host))).status_code

    with self_signed(tmp_path) as url:
        trusted = ssl.create_default_context(cafile=tmp_path / "c.pem")
        assert asyncio.run(status(url, "localhost", verify=trusted)) == 501
        with pytest.raises(httpx2.ConnectError, match="self-signed"):
            asyncio.run(status(url, "localhost"))
        with pytest.raises(httpx2.ConnectError, match="IP address mismatch"):
            asyncio.run(status(url, "127.0.0.1", verify=trusted))


@pytest.mark.needs
@pytest.mark.parametrize("way", WAYS)
def test_the_environment_names_a_private_ca(way, tmp_path, monkeypatch):
    """As for Python itself and for curl; a file that cannot be read is nobody's certificate."""
    with self_signed(tmp_path) as url:
        here = url.replace("127.0.0.1", "localhost")
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "c.pem"))
        received = asyncio.run(way(here))
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "missing.pem"))
        refused = asyncio.run(way(here))
    assert received.answer.status == 501
    assert refused.trouble is Trouble.REFUSED
    assert "certificate" in refused.detail


class Breaks(BaseHTTPRequestHandler):
    """Sends a record that does not belong to its encrypted stream, within an answer."""

    def do_GET(self):
        length = int(self.headers.get("Content-Length") or 0)
        self.rfile.read(length)
        self.wfile.write(head("Content-Length: 9") + self.begun)
        os.write(self.connection.fileno(), b"\x17\x03\x03\x00\x20" + bytes(32))
        self.close_connection = True

    do_POST = do_GET


@pytest.mark.needs
@pytest.mark.parametrize("begun", [b"", b"{"])
@pytest.mark.parametrize("way", WAYS)
def test_encryption_that_breaks_behind_the_handshake_is_no_fault_of_the_kit(
    way, begun, tmp_path, monkeypatch
):
    with self_signed(tmp_path, type("Handler", (Breaks,), {"begun": begun})) as url:
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "c.pem"))
        received = asyncio.run(way(url.replace("127.0.0.1", "localhost")))
    assert received.answer.status == 200
    assert received.trouble in {Trouble.GARBLED, Trouble.CLOSED}
