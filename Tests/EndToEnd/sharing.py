"""Helpers for tests of sharing."""

import time

from world import EndToEnd


def share(body, id, status):
    return body.get("sharingId") == id and body.get("status") == status


class Sharing(EndToEnd):
    def invite(self, owner, device, guest=None, **more):
        """Creates an invitation to a device, and returns the invitation.

        `guest` is the invited user's terminal or uid. If `guest` is None, the invitation is a QR code.
        """
        if guest is None:
            return owner.get("share/invite", {"did": device.did, "way": "qrcode", **more})
        who = {"type": "uid", "value": guest if isinstance(guest, str) else guest.uid}
        return owner.get("share/invite", {"did": device.did, "way": "user", "guest": who, **more})

    def share(self, owner, device, guest, **more):
        """Shares a device with a guest; returns the invitation's id."""
        id = self.invite(owner, device, guest, **more)["sharingId"]
        guest.get("share/answer", {"sharingId": id, "accept": True})
        return id

    def told(self, terminal, id, status, seconds=10):
        return terminal.expect(f"user/{terminal.uid}/share", lambda b: share(b, id, status), seconds,
                               f"{status} of {id}").body

    def role(self, terminal, device):
        return {d["did"]: d["role"] for d in terminal.get("device/list")["devices"]}.get(device.did)

    def gone(self, terminal, device, reason):
        """Asserts that within 5 seconds the user is notified and the retained status is cleared."""
        began = time.monotonic()
        told = terminal.expect(
            f"user/{terminal.uid}/device", lambda b: b["type"] == "unbound" and b["did"] == device.did).body
        self.assertEqual(told["reason"], reason)
        terminal.wait(lambda: [m for m in terminal.everything
                               if m.topic.endswith(f"/device/{device.did}/status") and not m.payload],
                      what="the clearing")
        self.assertLess(time.monotonic() - began, 5)
        for method, params in (("status", {}), ("control", {"data": {"power": True}}), ("hardware", {})):
            self.assertError(terminal.fail(f"device/{method}", {"did": device.did, **params}), "NotBound")
        self.assertIsNone(self.role(terminal, device))
        terminal.clear()
        device.report(data={"power": True})
        device.report(data={"power": False})
        terminal.get("account/whoami")
        self.assertEqual([m for m in terminal.unread("/status") if m.payload], [], "nothing comes any more")
