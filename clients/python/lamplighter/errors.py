"""What goes wrong."""


class LamplighterError(Exception):
    """A request was refused; `code` is what programs switch on (InvalidRequest, DeviceOffline, …).

    `field` is the member at fault, `reason` a word that some codes add, `retry_after` the seconds until another try
    makes sense, `request_id` the request's id: after Unavailable, which had no effect, asking again with it is right.
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
    """The broker lets this terminal in with neither token nor secret.

    The app id or the secret is wrong, or a session lives on the terminal whose token is not at hand: then begin as a
    new terminal. The broker doesn't say which; `lamplighter refusals` does.
    """
