"""What paired devices may do, and how they are removed."""

import http.client
import json
import signal
import socket
import time

import pytest

from inkstate.client import Client, Device, paired, unchecked


@pytest.fixture
def device(shared):
    return paired(shared, "tablet")


def remove(owner, name):
    [known] = [one for one in owner.ask("GET", "/api/sharing")["devices"] if one["name"] == name]
    owner.ask("DELETE", f"/api/devices/{known['id']}")


def test_devices_edit_and_the_owner_deletes(owner, device):
    device.ask("POST", "/api/documents?name=Mine")
    for method, path in [("DELETE", "/api/documents/Mine"), ("POST", "/api/training"), ("GET", "/api/sharing"),
                         ("POST", "/api/presentation")]:
        answer = device.send(method, path, "{}" if method == "POST" else None)
        assert answer.status == 403 and b"owner" in answer.data, (method, path, answer)
    owner.ask("DELETE", "/api/documents/Mine")


def test_the_cookie_of_a_device_alone_opens_nothing(shared, device):
    """Servers at other ports of the same host get the cookie."""
    answer = Device(shared, {"Cookie": device.proof["Cookie"]}).send("GET", "/api/documents")
    assert answer.status == 401 and b"pair" in answer.data


def test_a_removed_device_is_out_at_once(shared, owner, device, report):
    """Its stream ends, and its token is worth nothing."""
    owner.ask("POST", "/api/documents?name=Common")
    stream = Device(shared, device.proof)
    stream.connection.request("GET", "/api/documents/Common/versions", headers=device.proof)
    answer = stream.connection.getresponse()
    assert answer.status == 200 and answer.readline().startswith(b"data:"), "a stream of changes"
    begin = time.monotonic()
    remove(owner, "tablet")
    try:
        while answer.readline():
            pass
    except (OSError, http.client.HTTPException):
        pass
    seconds = time.monotonic() - begin
    report(f"removal: out after {1000 * seconds:.0f} ms")
    assert seconds < 3, "the stream to end at once"
    assert Device(shared, device.proof).send("GET", "/api/documents").status == 401


def test_what_a_removed_device_had_begun_is_not_done(shared, owner, device, report):
    """The sockets of half-sent requests are closed at once, without waiting for the device's part of TLS."""
    owner.ask("POST", "/api/documents?name=Half")
    device.close()
    body = json.dumps({"kind": "addState", "place": {"x": 1, "y": 2}}).encode()
    proof = "".join(f"{header}: {value}\r\n" for header, value in device.proof.items())
    head = f"POST /api/documents/Half/command HTTP/1.1\r\nHost: {shared.shared_host}:{shared.shared_port}\r\n{proof}" \
        f"Content-Length: {len(body)}\r\n\r\n"
    halves = []
    for sent in [0, 1, len(body) // 2, len(body) - 1]:
        raw = socket.create_connection((shared.shared_host, shared.shared_port), timeout=20)
        secured = unchecked().wrap_socket(raw.dup())
        secured.settimeout(20)
        secured.sendall(head.encode() + body[:sent])
        halves.append((raw, secured, body[sent:]))
    # The studio has read the first halves.
    time.sleep(0.5)
    begin = time.monotonic()
    remove(owner, "tablet")
    removed = time.monotonic()
    waits = []
    for raw, secured, rest in halves:
        wait_for_end(raw)
        waits.append(time.monotonic() - removed)
        try:
            secured.sendall(rest)
        except OSError:
            pass
        secured.close()
        raw.close()
    report(f"half sent: {len(halves)} requests refused, sockets closed {1000 * max(waits):.0f} ms after the removal, "
           f"which took {1000 * (removed - begin):.0f} ms")
    assert max(waits) < 1, "the sockets of a removed device to be closed at once"
    time.sleep(0.5)
    assert not owner.ask("GET", "/api/documents/Half")["states"], "nothing of a removed device"
    assert Device(shared, device.proof).send("POST", "/api/documents/Half/command", body).status == 401


def wait_for_end(raw):
    """Waits until the studio closed a socket."""
    raw.settimeout(5)
    try:
        # What TLS says at its end does not matter; this side says nothing.
        while raw.recv(1 << 16):
            pass
    except ConnectionResetError:
        pass
    except TimeoutError:
        pytest.fail("expected the sockets of a removed device to be closed")


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGKILL], ids=["Ctrl-C", "a crash"])
def test_devices_stay_paired_after(shared, device, start_studio, sign):
    """After the studio was ended or crashed; the certificate stays the same."""
    assert shared.end(sign) in [0, -sign]
    again = start_studio(shared.folder, is_shared=True, shared_port=shared.shared_port)
    assert again.fingerprint == shared.fingerprint
    assert Device(again, device.proof).send("GET", "/api/documents").status == 200
