"""The C device in clients/c, which is compiled unchanged and runs against a service."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import unittest

from harness import ROOT, eventually, free_port
from world import FREE, LAMP, EndToEnd, OwnWorld

CLIENT = ROOT / "clients" / "c"
STRICT = ["gcc", "-std=c99", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I", str(CLIENT)]

# This program prints how many reports it published and how many it keeps. It also prints how many of the kept reports
# were never sent.
MANY = r"""
#include <mosquitto.h>
#include <string.h>
static int published;
static int counted(struct mosquitto *client, int *mid, const char *topic, int size, const void *payload, int qos, bool retained) {
    if (strstr(topic, "/report")) published++;
    return mosquitto_publish(client, mid, topic, size, payload, qos, retained);
}
#define mosquitto_publish counted
#include "lamplighter.h"

int main(int count, char **arguments) {
    struct ll_options options = {.host = "127.0.0.1", .port = atoi(arguments[1]), .product_key = arguments[2],
        .product_secret = arguments[3], .mac = arguments[4], .passcode = "lamp-4711", .hardware = "{}", .identity = "many.id"};
    char line[8];
    (void)count;
    setvbuf(stdout, NULL, _IOLBF, 0);
    struct ll_device *device = ll_start(&options);
    ll_report(device, "{\"n\":0}");
    while (device->count > 0) ll_turn(device, 50);
    printf("did %s\n", device->did);
    if (!fgets(line, sizeof line, stdin)) return 1;
    published = 0;
    int taken = 0;
    for (int i = 1; i <= 60; i++) taken += ll_report(device, "{\"n\":1,\"text\":\"a \\\"quoted\\\" }\"}");
    for (int before = -1; device->count > 0;) {
        int waiting = 0;
        for (int i = 0; i < device->count; i++) waiting += device->kept[i].pause == 0;
        if (published != before) printf("taken %d published %d waiting %d\n", taken, published, waiting);
        before = published;
        ll_turn(device, 50);
    }
    ll_stop(device);
    printf("settled\n");
    return 0;
}
"""

# This program reports an alert. When it can read a line, it reports that the alert is over.
ALERT = r"""
#include "lamplighter.h"

int main(int count, char **arguments) {
    struct ll_options options = {.host = "127.0.0.1", .port = atoi(arguments[1]), .product_key = arguments[2],
        .product_secret = arguments[3], .mac = "0a0b0c0d0e10", .passcode = "lamp-4711", .hardware = "{}", .identity = "alert.id"};
    char line[8];
    (void)count;
    setvbuf(stdout, NULL, _IOLBF, 0);
    struct ll_device *device = ll_start(&options);
    for (int is_open = 1; is_open >= 0; is_open--) {
        ll_alert(device, "overheat", is_open);
        while (device->count > 0) ll_turn(device, 50);
        printf("did %s\n", device->did);
        if (is_open && !fgets(line, sizeof line, stdin)) return 1;
    }
    ll_stop(device);
    return 0;
}
"""

# This program parses random texts made of JSON's special characters and a few others. The buffer of each text has
# exactly the text's length.
READER = r"""
#include "lamplighter.h"
int main(void) {
    const char *characters = "{}[]\",:\\ab1 ";
    srand(1);
    for (int turn = 0; turn < 200000; turn++) {
        int length = rand() % 23, count = 0;
        char *text = malloc((size_t)length + 1), copy[8];
        struct ll_member member;
        for (int i = 0; i < length; i++) text[i] = characters[rand() % 12];
        text[length] = 0;
        for (const char *at = NULL; (at = ll_next(text, at, &member)) && count < 100; count++)
            if (member.name_length < 0 || member.length < 0) return 1;
        ll_text(text, "a", copy, sizeof copy);
        if (count == 100) return 2;
        free(text);
    }
    const char *text = "{\"a\":1,\"b\":{\"c\":\"x}\\\"\"},\"d\":[1,\"],\"],\"e\":true}";
    return ll_number(text, "a") == 1 && ll_number(text, "e") == 1 && ll_number(text, "c") == 0 ? 0 : 3;
}
"""


def build(folder, source, *options):
    """Compiles a program with the strictest warnings; returns its path."""
    program = pathlib.Path(folder) / "program"
    made = subprocess.run([*STRICT, *options, "-o", str(program), str(source), "-lmosquitto"], capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    return program


class Compiled(EndToEnd):
    def setUp(self):
        super().setUp()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="lamplighter-c-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def start(self, program, *arguments):
        process = subprocess.Popen([str(program), *arguments], cwd=self.folder, stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def line(self, process, pattern):
        found = next(filter(None, (re.search(pattern, line) for line in process.stdout)), None)
        self.assertTrue(found, f"it ended without {pattern}")
        return found

    def shown(self, did):
        return self.world.service.device(did)


class Lamp(Compiled):
    def lamp(self):
        program = build(self.folder, CLIENT / "lamp.c")
        return self.start(program, "127.0.0.1", str(self.world.port), LAMP["productKey"], self.world.secrets[LAMP["productKey"]])

    def test_the_header_is_short(self):
        self.assertLessEqual(len((CLIENT / "lamplighter.h").read_text().splitlines()), 300)

    def test_any_text_is_read_without_leaving_its_bounds(self):
        source = self.folder / "reader.c"
        source.write_text(READER)
        program = build(self.folder, source, "-g", "-fsanitize=address,undefined")
        done = subprocess.run([str(program)], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_it_registers_reports_obeys_and_restarts_as_the_same_device(self):
        lamp = self.lamp()
        did = self.line(lamp, r"did (\S+)")[1]
        eventually(lambda: self.shown(did)["data"].get("temperature") == 21.5, 10, "the first report")
        app = self.terminal()
        app.get("device/bind", {"did": did, "passcode": "lamp-4711"})
        for data, state in (({"power": True, "brightness": 5}, "done"), ({"mode": "colour"}, "done"), ({"label": "x"}, "failed")):
            with self.subTest(data=data):
                result = app.get("device/control", {"did": did, "data": data, "wait": True})
                self.assertEqual(result["state"], state)
        data = self.shown(did)["data"]
        self.assertEqual((data["power"], data["brightness"], data["mode"]), (True, 5, "colour"))
        # After a kill the device is offline. After a restart it has the same identity, and ignores commands that it has
        # already obeyed.
        lamp.kill()
        lamp.wait()
        eventually(lambda: not self.shown(did)["online"], 10, "its being offline")
        again = self.lamp()
        self.assertEqual(self.line(again, r"did (\S+)")[1], did)
        eventually(lambda: self.shown(did)["online"], 10, "its being online")
        result = app.get("device/control", {"did": did, "data": {"brightness": 10}, "wait": True})
        self.assertEqual(result["state"], "done")
        self.assertGreater(int((self.folder / "lamp.id").read_text().split()[2]), 3)

    def test_an_alert_begins_and_ends(self):
        source = self.folder / "alert.c"
        source.write_text(ALERT)
        device = self.start(build(self.folder, source), str(self.world.port), LAMP["productKey"],
                            self.world.secrets[LAMP["productKey"]])
        did = self.line(device, r"did (\S+)")[1]
        eventually(lambda: "overheat" in str(self.shown(did)["alerts"]), 10, "the alert")
        # The file is as secret as a password.
        self.assertEqual((self.folder / "alert.id").stat().st_mode & 0o777, 0o600)
        device.stdin.write("go\n")
        device.stdin.flush()
        self.line(device, "did")
        eventually(lambda: not self.shown(did)["alerts"], 10, "its end")

    def test_a_missing_broker_is_reported(self):
        lamp = self.start(build(self.folder, CLIENT / "lamp.c"), "127.0.0.1", str(free_port()), LAMP["productKey"], "w" * 43)
        self.line(lamp, "Connection refused")

    def test_a_wrong_secret_is_reported_with_advice(self):
        program = build(self.folder, CLIENT / "lamp.c")
        lamp = self.start(program, "127.0.0.1", str(self.world.port), LAMP["productKey"], "w" * 43)
        self.line(lamp, r"wrong key or secret, or a limit; `lamplighter refusals`")


class Many(OwnWorld, Compiled):
    def test_reports_wait_and_are_repeated_until_the_service_answers(self):
        source = self.folder / "many.c"
        source.write_text(MANY)
        device = self.start(build(self.folder, source), str(self.world.port), FREE["productKey"],
                            self.world.secrets[FREE["productKey"]], "0a0b0c0d0e0f")
        did = self.line(device, r"did (\S+)")[1]
        # The service is stopped, but its broker is running: no request is answered.
        os.kill(self.world.service.process.pid, signal.SIGSTOP)
        self.addCleanup(os.kill, self.world.service.process.pid, signal.SIGCONT)
        device.stdin.write("go\n")
        device.stdin.flush()
        # The client has taken 48 reports and sent 16 of them. After some seconds it sends those 16 again, and none of
        # the others.
        self.line(device, r"taken 48 published 16 waiting 32")
        self.line(device, r"taken 48 published 32 waiting 32")
        os.kill(self.world.service.process.pid, signal.SIGCONT)
        self.line(device, "settled")
        self.assertEqual(device.wait(10), 0)
        self.assertEqual(self.shown(did)["data"], {"n": 1, "text": 'a "quoted" }'})

    def test_a_device_comes_back_to_a_broker_that_was_gone(self):
        program = build(self.folder, CLIENT / "lamp.c")
        lamp = self.start(program, "127.0.0.1", str(self.world.port), LAMP["productKey"], self.world.secrets[LAMP["productKey"]])
        did = self.line(lamp, r"did (\S+)")[1]
        self.world.service.stop()
        self.world.service.start()
        eventually(lambda: self.shown(did)["online"], 30, "the lamp's coming back")


if __name__ == "__main__":
    unittest.main()
