"""The errors of the client."""


class LamplighterError(Exception):
    """A refused request, with a `code` for programs (InvalidRequest, DeviceOffline, …).

    `field` is the faulty member, and `reason` is a word that some codes add. `retry_after` is the number of seconds
    until another try makes sense. `request_id` is the request's id. After Unavailable, the request can safely be
    repeated with this id.
    """

    def __init__(self, error, request_id=None):
        super().__init__(f"{error['code']}: {error.get('message', '')}")
        self.code = error["code"]
        self.message = error.get("message", "")
        self.field = error.get("field")
        self.reason = error.get("reason")
        self.retry_after = error.get("retryAfter")
        self.body = error
        self.request_id = request_id


class ConnectionRefused(ConnectionError):
    """The broker refused the app twice.

    The app tried both its token and its secret. An app without a token tried two terminal ids. The app's id or secret
    is wrong, or a limit or rule forbids the connection. The broker doesn't report the reason; `lamplighter refusals`
    shows the reason.
    """
