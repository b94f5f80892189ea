"""Readers of the event log, and a check for lost or misplaced events."""

import contextlib
import http.client
import json
import os
import pathlib
import socket
import subprocess
import sys
import threading
import time

from harness import TOPICS, eventually
from receiver import place


class Follower(threading.Thread):
    """A maker's server that follows the log over HTTP, and continues after each failure.

    `got` has the events in the order of their arrival. A follower with a subscription stores the subscription's cursor
    in the service.
    """

    def __init__(self, service, key, types, after=None, subscription=None, wait=2):
        super().__init__(daemon=True)
        self.service, self.key, self.wait = service, key, wait
        self.where = {"subscriptionId": subscription} if subscription else {"after": after, "types": types}
        self.subscription = subscription
        self.got, self.stopping, self.fails = [], threading.Event(), 0

    def run(self):
        while not self.stopping.is_set():
            try:
                self.follow()
            except (OSError, ValueError, http.client.HTTPException):
                self.fails += 1
                self.stopping.wait(0.05)

    def follow(self):
        """Reads pages until something fails."""
        connection = http.client.HTTPConnection("127.0.0.1", self.service.http_port, timeout=10)
        with contextlib.closing(connection):
            while not self.stopping.is_set():
                page = self.ask(connection, "read", wait=self.wait, **self.where)
                self.got += page["events"]
                if self.subscription:
                    if page["events"]:
                        self.ask(connection, "ack", subscriptionId=self.subscription, cursor=page["cursor"])
                else:
                    self.where["after"] = page["cursor"]

    def ask(self, connection, method, **params):
        connection.request("POST", f"/{TOPICS}/request/events/{method}", json.dumps({"params": params}), {
            "Authorization": f"Bearer {self.key}", "Content-Type": "application/json"})
        answer = json.loads(connection.getresponse().read())
        if not answer["ok"]:
            raise ValueError(answer["error"])
        return answer["result"]

    def stop(self):
        self.stopping.set()
        self.join(30)


class EventStream(Follower):
    """A follower that reads the log over server-sent events."""

    def follow(self):
        query = "&".join([f"types={','.join(self.where['types'])}", f"after={self.where['after']}"])
        connection = http.client.HTTPConnection("127.0.0.1", self.service.http_port, timeout=20)
        with contextlib.closing(connection):
            connection.request("GET", f"/{TOPICS}/events?{query}", headers={"Authorization": f"Bearer {self.key}"})
            answer, self.open = connection.getresponse(), connection
            if answer.status != 200:
                raise ValueError(answer.read())
            id, data = None, b""
            while not self.stopping.is_set() and (line := answer.readline()):
                if line.startswith(b"data:"):
                    data += line[5:].strip()
                elif line.startswith(b"id:"):
                    id = line[3:].strip().decode()
                elif line == b"\n" and data:
                    event, data = json.loads(data), b""
                    if "id" in event:
                        self.got.append(event)
                        # If the service is killed, an event can break off after the line with its id. So the id is
                        # stored only after the whole event has arrived.
                        self.where["after"] = id

    def stop(self):
        self.stopping.set()
        # Without the shutdown, the thread would wait for the stream's next comment.
        with contextlib.suppress(OSError, AttributeError):
            self.open.sock.shutdown(socket.SHUT_RDWR)
        super().stop()

    @staticmethod
    def is_there(service, key):
        """Returns whether the service has streams of server-sent events for the log."""
        connection = http.client.HTTPConnection("127.0.0.1", service.http_port, timeout=10)
        with contextlib.closing(connection):
            connection.request("GET", f"/{TOPICS}/events", headers={"Authorization": f"Bearer {key}"})
            return connection.getresponse().status != 404


class KilledReceiver:
    """A webhook receiver in its own process, which records each post before it answers."""

    def __init__(self, folder):
        self.file = pathlib.Path(folder) / "posts.log"
        self.file.write_text("")
        self.port = 0
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [sys.executable, str(pathlib.Path(__file__).with_name("receiver.py")), str(self.port), str(self.file)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())

    def kill(self):
        if self.process.returncode is not None:
            return
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def url(self, path):
        return f"http://localhost:{self.port}{path}"

    def lines(self, path):
        """Returns the recorded rows about a path's posts: one row for each arrival and one for each acceptance."""
        posts, lines = {}, []
        for line in self.file.read_text().splitlines():
            with contextlib.suppress(ValueError):  # a line that a kill cut off
                row = json.loads(line)
                row = posts.setdefault(row["number"], row) | {"isTaken": "path" not in row}
                if row["path"] == path:
                    lines.append(row)
        return lines

    def taken(self, path):
        """Returns the accepted events in their order, including repeated events."""
        return [event for row in self.lines(path) if row["isTaken"] for event in row["body"]["events"]]


def faults(truth, got):
    """Compares `got`, the events that a reader received, with `truth`, the log's events, and returns the faults."""
    seen, found = {}, []
    for event in got:
        if event["type"] == "events.gap":
            found.append(f"a gap that isn't one: {event}")
        elif event["id"] in seen:
            if seen[event["id"]] != event:
                found.append(f"{event['id']} came again with another content")
        else:
            seen[event["id"]] = event
    first = list(seen)
    wanted = [event["id"] for event in truth]
    found += [f"{id} was lost: {event['type']} of {event.get('did')}" for id, event in
              ((event["id"], event) for event in truth) if id not in seen]
    found += [f"{id} isn't in the log" for id in first if id not in set(wanted)]
    for before, after in zip(first, first[1:]):
        if place(after) < place(before):
            found.append(f"{after} came behind {before}")
    for event in truth:
        if event["id"] in seen and seen[event["id"]] != event:
            found.append(f"{event['id']} differs from the log's")
    return found


def early(lines, truth):
    """Returns a line for each post that skipped unaccepted events or repeated an id with different content."""
    number = {event["id"]: index for index, event in enumerate(truth)}
    found, taken, contents = [], -1, {}
    for row in lines:
        places = [number[event["id"]] for event in row["body"]["events"] if event["id"] in number]
        if contents.setdefault(row["id"], places) != places:
            found.append(f"{row['id']} has two contents")
        if row["isTaken"]:
            taken = max([taken, *places])
        elif places and places[0] > taken + 1:
            found.append(f"{row['id']} began with event {places[0]}, though event {taken + 1} wasn't taken")
    return found


def write_posts(port, file):
    """Runs the receiver, which records each arrival and acceptance, and accepts some posts late."""
    from receiver import Receiver, answer

    output = os.open(file, os.O_WRONLY | os.O_APPEND)

    def act(connection, post):
        number = f"{os.getpid()}-{time.monotonic_ns()}"

        def write(**row):
            os.write(output, (json.dumps({"number": number, **row}) + "\n").encode())

        write(path=post.path, id=post.id, body=post.body)
        if post.id[-1] in "0123":
            time.sleep(0.2)
        write()  # From now on, the post counts as accepted, even if the answer doesn't arrive.
        answer(204)(connection, post)

    receiver = Receiver(port, act)
    print(receiver.port, flush=True)
    eventually(lambda: False, 1 << 20)
