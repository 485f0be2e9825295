"""Thirty devices draw at once, and ask for the heaviest work, while the owner is answered."""

import random
import threading
import time

import pytest

from inkstate import ink
from inkstate.client import paired
from sharing.heavy import HeavyDevices, heavy_requests, owner_times

DEVICES = 30


@pytest.fixture
def devices(shared):
    return [paired(shared, f"tablet {number}") for number in range(DEVICES)]


def draw(client, number, end, times, errors):
    """Draws in a document of its own, and sometimes in that of all."""
    generator = random.Random(number)
    mine, name = f"device%20{number}", f"device {number}"
    client.ask("POST", f"/api/documents?name={mine}")
    step = 0
    while time.monotonic() < end:
        time.sleep(generator.uniform(0.3, 1.2))
        ring = ink.drawing([ink.ring(generator.uniform(0, 3000), generator.uniform(0, 2000), 40)], step=10)
        body = {**ring, "page": name, "stroke": f"{number}-{step}"}
        start = time.monotonic()
        try:
            client.ask("POST", f"/api/documents/{mine if step % 5 else 'Common'}/stroke", body)
            times.append(time.monotonic() - start)
            if step % 30 == 29:
                client.ask("POST", f"/api/documents/{mine}/command", {"kind": "clear"})
            if number == 0 and step % 20 == 19:
                client.ask("POST", "/api/documents/Common/command", {"kind": "clear"})
        except Exception as error:
            errors.append(f"tablet {number}: {error}")
            client.close()
        step += 1


def test_thirty_devices_draw_at_once(owner, devices, pytestconfig, report):
    seconds = pytestconfig.getoption("--seconds")
    owner.ask("POST", "/api/documents?name=Common")
    times, errors = [], []
    end = time.monotonic() + seconds
    threads = [threading.Thread(target=draw, args=[client, number, end, times, errors])
               for number, client in enumerate(devices)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    times.sort()
    report(f"devices: {len(devices)} drew {len(times)} strokes in {seconds} s, {len(errors)} errors; "
           f"median {1000 * times[len(times) // 2]:.1f} ms, p99 {1000 * times[int(0.99 * len(times))]:.1f} ms, "
           f"longest {1000 * times[-1]:.0f} ms")
    assert not errors


def quantile(times, share):
    return times[min(len(times) - 1, int(share * len(times)))][0]


def test_the_owner_does_not_wait_for_heavy_work(shared, owner, devices, pytestconfig, report):
    seconds = pytestconfig.getoption("--heavy")
    requests = heavy_requests(owner)
    alone = owner_times(shared, max(5, seconds // 4))
    with HeavyDevices(shared, devices, requests, seconds + 2) as heavy:
        # They are at work when the owner begins.
        time.sleep(2)
        times = owner_times(shared, seconds)
    counts = heavy.counts
    for what, some in [("alone", alone), (f"beside {len(devices)} devices", times)]:
        report(f"heavy: the owner {what}: {len(some)} answers, median {quantile(some, 0.5):.1f} ms, "
               f"p99 {quantile(some, 0.99):.1f} ms, longest {some[-1][0]:.0f} ms ({some[-1][1]})")
    report(f"heavy: answers to the devices: {counts}")
    assert set(counts) <= {0, 200, 201, 400, 404, 408, 409, 413, 422, 429}
    assert sum(counts.values()) > len(devices)
    assert quantile(times, 0.99) < 200, "99 of 100 answers to the owner within 200 ms"
    # Work that nobody waits for ends. The owner's connection was idle for long, and may have been closed.
    owner.connection.close()
    begin = time.monotonic()
    owner.ask("POST", "/api/documents/Large/run", {"word": "ab"})
    report(f"heavy: the owner's next answer after {1000 * (time.monotonic() - begin):.0f} ms")
