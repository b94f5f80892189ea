"""The requests of apps, one method each. Made by clients/generate.py from the schemas; edit those."""

from __future__ import annotations


class Account:
    """Registers and logs in users, verifies their phones and e-mails, and keeps their profiles (reference: accounts#scope)."""

    def __init__(self, ask):
        self._ask = ask

    def loginAnonymous(
        self, *, countryCode: str | None = None, region: str | None = None, deviceId: str | None = None,
        platform: str | None = None, os: str | None = None, name: str | None = None,
    ):
        """Logs in as an anonymous user.

        No token is needed. Logging in on a terminal that has a session ends that session, reason replaced. A login
        without `deviceId` erases the anonymous user who was logged in on the terminal, if that user has no deviceId, no
        devices and no session elsewhere. TooManyRequests beyond 30 new users a day per terminal, and beyond 60 an hour
        per source address.

        Returns: The same as for every login.
        """
        return self._ask("account/loginAnonymous", {
            "countryCode": countryCode, "region": region, "deviceId": deviceId, "platform": platform, "os": os,
            "name": name,
        })

    def whoami(self):
        """Returns the user and the session of the token.

        Returns: The token's user and session.
        """
        return self._ask("account/whoami", {})

    def logout(self):
        """Ends the session.

        Returns: {}. The session ends with reason loggedOut; under the policy discard an anonymous user is erased.
        """
        return self._ask("account/logout", {})

    def sendCode(
        self, *, purpose: str | int, countryCode: str | None = None, region: str | None = None,
        phone: str | None = None, email: str | None = None, account: str | None = None,
    ):
        """Sends a code to a phone or an e-mail address.

        No token is needed for login, register and resetPassword; bind, operation and logoutTerminal need one, and
        logoutTerminal sends to the user's own verified addresses only. A code has six digits, lives 10 minutes, and
        works once; it allows 5 tries to callers who send its codeToken back and 5 to all others; it is bound to
        purpose, address, app and region. 60 s between codes of one purpose to one address, 5 an hour per purpose, 10 a
        day per address; one terminal can have codes sent to 5 addresses an hour, and one source address 20 codes:
        TooManyRequests beyond that, and the code already sent stays valid. A malformed address gets InvalidRequest and
        nothing is sent. The answer is the same whether or not there is such an account; with the policy revealAccounts
        a code of login or resetPassword for an address that no account has verified gets ResourceNotFound; the result
        of the sending is published on `app/{appId}/{terminalId}/code`.

        Returns: `retryAfter`: the time until the next code of this purpose to this address is accepted, in seconds.
        """
        return self._ask("account/sendCode", {
            "purpose": purpose, "countryCode": countryCode, "region": region, "phone": phone, "email": email,
            "account": account,
        })

    def checkCode(
        self, *, purpose: str | int, code: str, countryCode: str | None = None, region: str | None = None,
        phone: str | None = None, email: str | None = None, account: str | None = None, codeToken: str | None = None,
    ):
        """Checks a code without using it up.

        No token is needed. Counts as a try: after five tries without its codeToken the code is void for everyone who
        doesn't send it, and after five with it for those who do.

        Returns: A wrong, used, old or unknown code is `valid: false`, not an error.
        """
        return self._ask("account/checkCode", {
            "purpose": purpose, "code": code, "countryCode": countryCode, "region": region, "phone": phone,
            "email": email, "account": account, "codeToken": codeToken,
        })

    def register(
        self, *, password: str, countryCode: str | None = None, region: str | None = None, phone: str | None = None,
        email: str | None = None, username: str | None = None, code: str | None = None, codeToken: str | None = None,
        ticket: str | None = None, profile: dict | None = None, platform: str | None = None, os: str | None = None,
        name: str | None = None,
    ):
        """Creates a user and logs in.

        No token is needed. One or more of a phone, an e-mail address and a username. On a terminal whose session is
        anonymous the anonymous user becomes this one: uid, devices and data stay. A code has the purpose register; a
        ticket is for the same address. With both addresses the code or ticket proves one of them, and the other is
        pending: a phone until account/bindPhone, an e-mail until its link or account/bindEmail. A pending address does
        not log in; if another account has proved it, the answer is the same as for a free address, or Duplicated if
        accounts are revealed. A phone alone needs a code or ticket (PolicyRejected while the policy phoneRegistration
        is off). An e-mail needs one under the policy emailRegistration code; under link and none it needs none, nor
        does a phone beside it, which is pending. Without a username, a proved phone becomes the username; the proved
        phone itself is accepted as username in any of its forms. A taken username gets Duplicated. A taken address gets
        Duplicated only with a right code. Under the policies link and none the answer to a taken address is the same as
        to a new one, and its owner gets an e-mail; each account logs in with its own password, but beside an owner only
        the newest of the unproved accounts does. While no account has verified the address, each account gets the
        verification link (under none, in a confirmation). An address verified by a code is removed from accounts that
        never verified it.

        Returns: The same as for a login.
        """
        return self._ask("account/register", {
            "password": password, "countryCode": countryCode, "region": region, "phone": phone, "email": email,
            "username": username, "code": code, "codeToken": codeToken, "ticket": ticket, "profile": profile,
            "platform": platform, "os": os, "name": name,
        })

    def login(
        self, *, countryCode: str | None = None, region: str | None = None, phone: str | None = None,
        email: str | None = None, username: str | None = None, account: str | None = None, password: str | None = None,
        adopt: bool | None = None, code: str | None = None, codeToken: str | None = None, platform: str | None = None,
        os: str | None = None, name: str | None = None,
    ):
        """Logs in by password or code.

        No token is needed. `account` can be a phone, an e-mail or a username. `code` has the purpose login and is given
        with phone, email or an account that is one of them; with an unknown phone it registers the user (username =
        phone, no password, phoneVerified). On a terminal whose session is anonymous, a login that creates a user turns
        the anonymous user into it; a login to an existing account takes over the anonymous user's devices with `adopt`,
        or reports how many it could take over. A login undoes a pending cancellation. InvalidCredentials for a wrong
        password and for an unknown name alike; InvalidCode for a wrong code. With the policy revealAccounts an unknown
        name gets ResourceNotFound. After ten failures in 15 minutes for one name or one terminal, every password check
        gets TooManyRequests; a right code still logs in. Logging in on a terminal that has a session ends that session,
        reason replaced.

        Returns: The same as for every login. The terminal also gets `app/{appId}/{terminalId}/devices`.
        """
        return self._ask("account/login", {
            "countryCode": countryCode, "region": region, "phone": phone, "email": email, "username": username,
            "account": account, "password": password, "adopt": adopt, "code": code, "codeToken": codeToken,
            "platform": platform, "os": os, "name": name,
        })

    def loginOrRegister(
        self, *, uid: str, password: str, countryCode: str | None = None, region: str | None = None,
        adopt: bool | None = None, createHome: bool | None = None, platform: str | None = None, os: str | None = None,
        name: str | None = None,
    ):
        """Logs in with the app's own user id, registering it the first time.

        No token is needed; PolicyRejected while the policy uidLogin is off. `uid` is the app's own (`externalUid`);
        `user.uid` is always the service's own. The first password given becomes the user's; a wrong one later gets
        InvalidCredentials. `createHome` creates a home at the registration.

        Returns: The same as for every login.
        """
        return self._ask("account/loginOrRegister", {
            "uid": uid, "password": password, "countryCode": countryCode, "region": region, "adopt": adopt,
            "createHome": createHome, "platform": platform, "os": os, "name": name,
        })

    def loginWithProvider(
        self, *, provider: str, credential: dict, countryCode: str | None = None, region: str | None = None,
        adopt: bool | None = None, profile: dict | None = None, platform: str | None = None, os: str | None = None,
        name: str | None = None,
    ):
        """Logs in with a third party's credential.

        No token is needed. Accounts are found by provider and subject, never by e-mail: an address from the provider is
        at most kept as unverified. Nickname and picture are taken from the provider if it returns them and the profile
        has none. The first login creates a user with a random username and no password (`isNew`), or converts the
        anonymous user whose session is on the terminal. `auth2` is an SDK's name for `apple`.

        Returns: The same as for every login.
        """
        return self._ask("account/loginWithProvider", {
            "provider": provider, "credential": credential, "countryCode": countryCode, "region": region,
            "adopt": adopt, "profile": profile, "platform": platform, "os": os, "name": name,
        })

    def linkProvider(self, *, provider: str, credential: dict):
        """Links a third party's account to the user.

        Turns an anonymous user into a real one. Duplicated if the third party's account belongs to another user;
        linking one that is linked already is a success. Nickname and picture are taken from the provider if it returns
        them and the profile has none.

        Returns: {}.
        """
        return self._ask("account/linkProvider", {"provider": provider, "credential": credential})

    def unlinkProvider(self, *, provider: str, credential: dict | None = None):
        """Removes the link to a third party's account.

        `credential` is optional and ignored. ResourceNotFound for a provider that isn't linked; Forbidden for the last
        way to log in.

        Returns: {}.
        """
        return self._ask("account/unlinkProvider", {"provider": provider, "credential": credential})

    def providers(self):
        """Lists the third parties' accounts linked to the user.

        Returns: The oldest first.
        """
        return self._ask("account/providers", {})

    def getUser(self, *, uid: str):
        """Returns the part of a user's data that other users can see.

        ResourceNotFound for a user who does not exist, or belongs to another app or region.

        Returns: For the caller's own uid, all of the user's fields.
        """
        return self._ask("account/getUser", {"uid": uid})

    def queryUsers(self):
        """Is always refused: users cannot be searched.

        Always Forbidden.

        Returns: Never returned.
        """
        return self._ask("account/queryUsers", {})

    def updateProfile(
        self, *, username: str | None = None, nickname: str | None = None, tempUnit: int | None = None,
        timezone: str | None = None, latitude: float | None = None, longitude: float | None = None,
        name: str | None = None, gender: str | None = None, birthday: str | None = None, address: str | None = None,
        remark: str | None = None, language: str | None = None, custom: dict | None = None,
        countryCode: str | None = None, phone: str | None = None, email: str | None = None,
    ):
        """Changes the user's profile.

        Absent and null members stay unchanged. `username`: Duplicated if taken, PolicyRejected if one is set and the
        policy usernameChangeable is off. A phone (with its country code) or an e-mail given here neither logs in nor
        resets a password until it is verified, a phone by account/bindPhone, an e-mail by the verification link sent to
        it or by account/bindEmail: beside a verified one it is shown as `pendingPhone` or `pendingEmail`, alone also as
        `phone` or `email`. Giving the current address again drops the pending one. An address that another account has
        gets Duplicated with the policy revealAccounts; otherwise it is accepted like any other, and its owner gets a
        message. Username and address can be given in one request: both are accepted, or neither. If they are accepted
        and the rest is refused, the answer is a success with `profileError`; without them a bad profile field is
        refused.

        Returns: The updated user.
        """
        return self._ask("account/updateProfile", {
            "username": username, "nickname": nickname, "tempUnit": tempUnit, "timezone": timezone,
            "latitude": latitude, "longitude": longitude, "name": name, "gender": gender, "birthday": birthday,
            "address": address, "remark": remark, "language": language, "custom": custom, "countryCode": countryCode,
            "phone": phone, "email": email,
        })

    def setAvatar(self, *, data: str | None = None):
        """Sets the user's picture.

        PNG or JPEG by its bytes, at most 45 KiB; anything else gets InvalidRequest, field params.data. null removes the
        picture, also the provider's.

        Returns: The address changes with each picture.
        """
        return self._ask("account/setAvatar", {"data": data})

    def bindPhone(
        self, *, phone: str, countryCode: str | None = None, region: str | None = None, code: str | None = None,
        codeToken: str | None = None, ticket: str | None = None, profile: dict | None = None,
    ):
        """Binds a phone that the user has proved, and replaces the old one.

        `code` has the purpose bind. InvalidCode for a wrong code; Duplicated, with a right code, if another account has
        verified the number. An account that holds it unverified loses it. The old address and the user's other
        terminals are notified. For 24 hours a link sent to the old address can undo the change; it ends all sessions
        and also removes possible ways in for an intruder: a password set since, an e-mail address or a provider's
        identity that was added since or within a day before the change, and a username that is an e-mail address but
        not the account's. A bad `profile` does not undo the binding and is reported as `profileError`.

        Returns: The updated user.
        """
        return self._ask("account/bindPhone", {
            "phone": phone, "countryCode": countryCode, "region": region, "code": code, "codeToken": codeToken,
            "ticket": ticket, "profile": profile,
        })

    def bindEmail(
        self, *, email: str, countryCode: str | None = None, region: str | None = None, code: str | None = None,
        codeToken: str | None = None, ticket: str | None = None, profile: dict | None = None,
    ):
        """Binds an e-mail address that the user has proved, and replaces the old one.

        `code` has the purpose bind. InvalidCode for a wrong code; Duplicated, with a right code, if another account has
        verified the address. An account that holds it unverified loses it. The old address and the user's other
        terminals are notified. For 24 hours a link sent to the old address can undo the change; it ends all sessions
        and also removes possible ways in for an intruder: a password set since, a phone number or a provider's identity
        that was added since or within a day before the change, and a username that is an e-mail address but not the
        account's. A bad `profile` does not undo the binding and is reported as `profileError`.

        Returns: The updated user.
        """
        return self._ask("account/bindEmail", {
            "email": email, "countryCode": countryCode, "region": region, "code": code, "codeToken": codeToken,
            "ticket": ticket, "profile": profile,
        })

    def requestEmailVerification(self):
        """Sends a link that verifies the user's e-mail.

        For `pendingEmail`, or else an e-mail that is not verified. The link lives 24 hours; a new one makes the old one
        void. ResourceNotFound without an e-mail, PolicyRejected while the policy emailVerification is off; to an e-mail
        that is verified already nothing is sent, and the answer is a success. The limits are the same as for sendCode.

        Returns: {}.
        """
        return self._ask("account/requestEmailVerification", {})

    def changePassword(self, *, newPassword: str, oldPassword: str | None = None):
        """Sets a new password.

        InvalidCredentials for a wrong old password; an account without a password needs none. All other sessions end,
        reason passwordChanged; the caller's session continues with its token.

        Returns: {}.
        """
        return self._ask("account/changePassword", {"newPassword": newPassword, "oldPassword": oldPassword})

    def checkPassword(self, *, password: str):
        """Checks the user's password.

        A wrong password counts as a failed login. An account without a password matches none.

        Returns: A wrong password gives `match: false`, not an error.
        """
        return self._ask("account/checkPassword", {"password": password})

    def requestPasswordReset(self, *, email: str, countryCode: str | None = None, region: str | None = None):
        """Sends a link to the page that sets a new password.

        No token is needed. Matches a verified e-mail, the unverified e-mail that an account registered with, or a
        username that is one; the answer is the same if nothing matches (ResourceNotFound with the policy
        revealAccounts). The link lives 1 hour and works once; a new one makes the old one void. If an account
        registered with the address and never verified it, following the link verifies it and removes everything linked
        meanwhile: phone, providers, a username that is another mailbox, other links. All sessions end. The limits are
        the same as for sendCode.

        Returns: {}.
        """
        return self._ask("account/requestPasswordReset", {"email": email, "countryCode": countryCode, "region": region})

    def resetPassword(
        self, *, code: str, newPassword: str, countryCode: str | None = None, region: str | None = None,
        phone: str | None = None, email: str | None = None, codeToken: str | None = None,
    ):
        """Sets a new password by a code.

        No token is needed. The code has the purpose resetPassword, or register if the address has an account (the SDKs
        send that). Resets the account of a verified phone or e-mail, and the account that requestPasswordReset would
        match, with the same consequences. InvalidCode for a wrong code and for an unknown address alike
        (ResourceNotFound with the policy revealAccounts). A weak password gets PolicyRejected and the code is not used
        up. All sessions end, reason passwordReset.

        Returns: {}.
        """
        return self._ask("account/resetPassword", {
            "code": code, "newPassword": newPassword, "countryCode": countryCode, "region": region, "phone": phone,
            "email": email, "codeToken": codeToken,
        })

    def convertAnonymous(
        self, *, password: str, countryCode: str | None = None, region: str | None = None, username: str | None = None,
        phone: str | None = None, code: str | None = None, codeToken: str | None = None, ticket: str | None = None,
    ):
        """Turns an anonymous user into a registered one.

        uid, devices, data and session stay. A phone needs a code of purpose register, or a ticket. Duplicated if the
        target is taken; Forbidden for a user who isn't anonymous.

        Returns: The updated user.
        """
        return self._ask("account/convertAnonymous", {
            "password": password, "countryCode": countryCode, "region": region, "username": username, "phone": phone,
            "code": code, "codeToken": codeToken, "ticket": ticket,
        })

    def verifyOperation(
        self, *, code: str, countryCode: str | None = None, region: str | None = None, phone: str | None = None,
        email: str | None = None, codeToken: str | None = None,
    ):
        """Exchanges a code for a ticket.

        A code of purpose operation, sent to any address; a session is needed, but can be anonymous. The ticket lives 5
        minutes and works once, for this address and from this terminal.

        Returns: Replaces a code once.
        """
        return self._ask("account/verifyOperation", {
            "code": code, "countryCode": countryCode, "region": region, "phone": phone, "email": email,
            "codeToken": codeToken,
        })

    def cancel(
        self, *, password: str | None = None, code: str | None = None, codeToken: str | None = None,
        ticket: str | None = None,
    ):
        """Schedules the account to be erased in seven days.

        One of password, code and ticket; the code has the purpose operation and was sent to a verified address of the
        account. None of them is needed for an account with neither password nor verified address, or while the app's
        policy cancelProof is off. Every address of the account is notified. All sessions end with the reason
        accountCancelled. A login before `deletesAt` undoes the cancellation; at `deletesAt` all the user's data is
        erased.

        Returns: When the account will be erased.
        """
        return self._ask("account/cancel", {
            "password": password, "code": code, "codeToken": codeToken, "ticket": ticket,
        })


class App:
    """Describes the app to a terminal without a session."""

    def __init__(self, ask):
        self._ask = ask

    def info(self):
        """Returns the app's features on this service, before a login.

        No token and no session are needed.

        Returns: The app's features, for a terminal without a session.
        """
        return self._ask("app/info", {})


class Device:
    """Binds devices to users, commands them, and reads their status, history and users (reference: commands#life)."""

    def __init__(self, ask):
        self._ask = ask

    def bind(
        self, *, passcode: str, did: str | None = None, productKey: str | None = None, mac: str | None = None,
        claim: str | None = None,
    ):
        """Binds a device by its passcode.

        Either `did`, or `productKey` and `mac`. Wrong tries in 15 minutes: 5 from one user for one device, 10 from one
        terminal, 50 from all for one device; then TooManyRequests, for the right passcode too. With the right `claim`,
        other users' wrong tries for the device do not count. A try for a device that does not exist counts for that
        name and user alone. A user who is bound already succeeds only with the right passcode. Forbidden: the device
        has an owner, or 10,000 users, or the caller has 1,000 devices.

        Returns: The bound device.
        """
        return self._ask("device/bind", {
            "passcode": passcode, "did": did, "productKey": productKey, "mac": mac, "claim": claim,
        })

    def unbind(self, *, did: str):
        """Unbinds the caller from a device.

        The device to leave; NotBound if the caller is not bound to it.

        Returns: {}
        """
        return self._ask("device/unbind", {"did": did})

    def list(
        self, *, productKeys: list | None = None, offset: int | None = None, cursor: str | None = None,
        limit: int | None = None,
    ):
        """Lists the user's devices.

        `offset` 0 and `limit` 100 when absent.

        Returns: In the order of binding, oldest first (equal times by did).
        """
        return self._ask("device/list", {
            "productKeys": productKeys, "offset": offset, "cursor": cursor, "limit": limit,
        })

    def subscribe(self, *, did: str, subscribed: bool):
        """Turns the caller's status messages of a device on or off.

        Setting the current value is a success; true publishes the latest status again.

        Returns: {}
        """
        return self._ask("device/subscribe", {"did": did, "subscribed": subscribed})

    def status(self, *, did: str):
        """Returns the stored status of a device.

        The caller must be bound and subscribed.

        Returns: The status payload, from the store, with `changed` empty.
        """
        return self._ask("device/status", {"did": did})

    def control(
        self, *, did: str, data: dict | None = None, binary: str | None = None, sn: int | None = None,
        mode: str | None = None, ttl: int | None = None, wait: bool | None = None,
    ):
        """Sends a command to a device.

        Either `data` or `binary`. Checked in this order: shape, bound (NotBound), subscribed (NotSubscribed), access
        (Forbidden), data against the writable data points (InvalidRequest, field params.data.NAME), online
        (DeviceOffline).

        Returns: Without `wait`: sent, or queued if the command waits for the device. With `wait`: the final state; the
        answer is ok even if the device failed, the command expired or was superseded, or its sender lost access.
        """
        return self._ask("device/control", {
            "did": did, "data": data, "binary": binary, "sn": sn, "mode": mode, "ttl": ttl, "wait": wait,
        })

    def query(self, *, did: str, timeout: int | None = None):
        """Asks a device to report now.

        Asks the device to report now. Answered with the status once the device has answered; NotBound, NotSubscribed,
        DeviceOffline (not connected), DeviceTimeout (no answer within `timeout`). The device receives a command of type
        query. A guest with access read can query.

        Returns: The status payload, from the store, with `changed` empty.
        """
        return self._ask("device/query", {"did": did, "timeout": timeout})

    def history(
        self, *, did: str, from_: int, to: int, attr: str | None = None, limit: int | None = None,
        cursor: str | None = None, every: str | None = None, fn: str | None = None, timezone: str | None = None,
    ):
        """Returns a page of a device's reports, or aggregates them.

        Oldest first, records of one moment in the order of their arrival. Reaches back no further than the device's
        current ownership period (the first one has no beginning: records that it kept from before its registration
        count) and the days that the product keeps (30 unless it says otherwise); earlier records are left out silently.
        With `every`, values are summarised by steps: minutes and hours (15m, 6h) are fixed and count from the epoch in
        UTC; days, weeks (from Monday) and months follow `timezone`, with days of 23 or 25 hours when its clocks change.
        Only records from `from` on and before `to` count, also in the first and last step. Steps without values are
        left out. `avg, min, max, sum` use numbers only. InvalidRequest for `fn` without `every`, a zone that isn't
        known, and a step that holds more records than one answer can read (5,000,000).

        Returns: `ts` is the record's, or the beginning of the step. With `attr` a row has `value`, else `data`;
        `binary` if the device sent bytes. There can be fewer rows than `limit`, even none, and a `cursor`: the list
        continues there.
        """
        return self._ask("device/history", {
            "did": did, "from": from_, "to": to, "attr": attr, "limit": limit, "cursor": cursor, "every": every,
            "fn": fn, "timezone": timezone,
        })

    def events(
        self, *, did: str, from_: int | None = None, to: int | None = None, types: list | None = None,
        limit: int | None = None, cursor: str | None = None,
    ):
        """Returns a page of a device's alerts, faults and changes of presence.

        The log of alerts, faults, presence, schedules' runs and history that is not kept, newest first; it reaches back
        as far as device/history. Without `from` and `to`, all of it.

        Returns: There can be fewer events than `limit`, even none, and a `cursor`: the list continues there.
        """
        return self._ask("device/events", {
            "did": did, "from": from_, "to": to, "types": types, "limit": limit, "cursor": cursor,
        })

    def commands(
        self, *, did: str, from_: int | None = None, to: int | None = None, types: list | None = None,
        limit: int | None = None, cursor: str | None = None,
    ):
        """Returns a page of a device's commands.

        The log of commands by the time of their creation, newest first; it reaches back as far as device/history.

        Returns: There can be fewer commands than `limit`, even none, and a `cursor`: the list continues there.
        """
        return self._ask("device/commands", {
            "did": did, "from": from_, "to": to, "types": types, "limit": limit, "cursor": cursor,
        })

    def bindRemote(self, *, productKey: str, mac: str, claim: str | None = None, productSecret: str | None = None):
        """Binds a device that is not on the LAN by its label.

        For a device that is not on the LAN. Either `claim`, the whole text of the device's printed label, or
        `productSecret`, which is accepted only for a product with remoteBind secret and only while no other user is
        bound. Creates the device if it has not registered yet (NotListed for a MAC that is not on the list of a product
        with registration listed); its first registration then needs no oldSecret and sets its passcode. Wrong proofs,
        unknown devices and products of another app get InvalidCredentials; they count together with the wrong passcodes
        of device/bind: in 15 minutes 5 from one user for one device, 10 from one terminal and, without the right
        `claim`, 50 from all for one device, then TooManyRequests. A right proof gets Forbidden for a device with an
        owner or with 10,000 users, and for a caller with 1,000 devices. If the caller is already bound: success,
        nothing changes.

        Returns: The bound device.
        """
        return self._ask("device/bindRemote", {
            "productKey": productKey, "mac": mac, "claim": claim, "productSecret": productSecret,
        })

    def setCustomInfo(self, *, did: str, alias: str | None = None, remark: str | None = None):
        """Sets the caller's own name and note for a device.

        The caller's own name and note for the device; no other user sees them. An absent or null member stays
        unchanged, an empty text clears it. A change is pushed to the caller's terminals (`changed`).

        Returns: {}
        """
        return self._ask("device/setCustomInfo", {"did": did, "alias": alias, "remark": remark})

    def hardware(self, *, did: str):
        """Returns the hardware and firmware versions of a device.

        What the device gave about itself at its registration and later, as stored. For all bound users, subscribed or
        not.

        Returns: `productKey` is present even if the device did not give it; it is the only member for a device that
        gave nothing, or that was bound remotely and has not registered yet.
        """
        return self._ask("device/hardware", {"did": did})

    def users(self, *, did: str, limit: int | None = None, cursor: str | None = None):
        """Lists the users who are bound to a device.

        For the special user and the owner; Forbidden for others. Oldest binding first (equal times by uid).

        Returns: All users bound to the device, including the caller, each with the names by which the owner can
        distinguish them. `cursor` if there are more.
        """
        return self._ask("device/users", {"did": did, "limit": limit, "cursor": cursor})

    def removeUser(self, *, did: str, uid: str):
        """Removes a guest from a device.

        The owner removes a guest from the device: Forbidden for others, InvalidRequest for the owner's own uid
        (device/unbind does that), ResourceNotFound for a user who is not bound. The guest is notified (`unbound`,
        reason removed), their retained status is cleared, and the invitation that let them in is revoked.

        Returns: {}
        """
        return self._ask("device/removeUser", {"did": did, "uid": uid})

    def allowReset(self, *, did: str):
        """Lets a device be reset to its factory state.

        The special user or the owner allows the device to be reset: for 15 minutes one registration without the old
        secret succeeds as a factory reset. Forbidden for others, and for products with reset operator. The permission
        is void if the user who gave it leaves the device.

        Returns: The time until which the reset is allowed.
        """
        return self._ask("device/allowReset", {"did": did})


class Events:
    """Reads the event log, and manages its subscriptions, for servers with an API key (reference: events)."""

    def __init__(self, ask):
        self._ask = ask

    def read(
        self, *, after: str | None = None, subscriptionId: str | None = None, types: list | None = None,
        productKeys: list | None = None, dids: list | None = None, limit: int | None = None, wait: int | None = None,
    ):
        """Returns entries of the event log, or waits for the next one.

        For API keys with the scope events; Forbidden for users. Without types, all but device.status. InvalidRequest: a
        type or a product that doesn't exist, a text that is no cursor. TooManyRequests: too many readers of the key
        wait (limits.eventReadersPerKey). ResourceNotFound: no such subscription of the app.

        Returns: Entries behind the oldest that is kept begin with one of type events.gap.
        """
        return self._ask("events/read", {
            "after": after, "subscriptionId": subscriptionId, "types": types, "productKeys": productKeys, "dids": dids,
            "limit": limit, "wait": wait,
        })

    def subscribe(
        self, *, name: str, types: list, productKeys: list | None = None, dids: list | None = None,
        url: str | None = None, batch: int | None = None, from_: str | None = None,
    ):
        """Makes a reader that the service knows: a stored cursor, or a webhook.

        For API keys with the scope events; Forbidden for users. Forbidden beyond 20 subscriptions of an app.
        InvalidRequest: a type or a product that doesn't exist, an address that is not allowed.

        Returns: `secret` for a webhook; returned only this once.
        """
        return self._ask("events/subscribe", {
            "name": name, "types": types, "productKeys": productKeys, "dids": dids, "url": url, "batch": batch,
            "from": from_,
        })

    def ack(self, *, subscriptionId: str, cursor: str):
        """Moves a subscription's cursor forward.

        For API keys with the scope events; Forbidden for users. ResourceNotFound: no such subscription of the app.

        Returns: {}
        """
        return self._ask("events/ack", {"subscriptionId": subscriptionId, "cursor": cursor})

    def update(
        self, *, subscriptionId: str, types: list | None = None, url: str | None = None, batch: int | None = None,
        state: str | None = None, cursor: str | int | None = None,
    ):
        """Changes a subscription; moving its cursor back replays events.

        For API keys with the scope events; Forbidden for users. ResourceNotFound: no such subscription of the app.
        InvalidRequest: url for a subscription without a webhook.

        Returns: {}
        """
        return self._ask("events/update", {
            "subscriptionId": subscriptionId, "types": types, "url": url, "batch": batch, "state": state,
            "cursor": cursor,
        })

    def subscriptions(self):
        """Lists the app's subscriptions.

        For API keys with the scope events; Forbidden for users.

        Returns: All of the app, whichever key made them.
        """
        return self._ask("events/subscriptions", {})

    def rotate(self, *, subscriptionId: str):
        """Gives a webhook a new secret; for 24 hours both sign.

        For API keys with the scope events; Forbidden for users. InvalidRequest: a subscription without a webhook.
        ResourceNotFound: no such subscription of the app.

        Returns: Returned only this once.
        """
        return self._ask("events/rotate", {"subscriptionId": subscriptionId})

    def unsubscribe(self, *, subscriptionId: str):
        """Removes a subscription; no delivery begins from then on.

        For API keys with the scope events; Forbidden for users. ResourceNotFound: no such subscription of the app.

        Returns: {}
        """
        return self._ask("events/unsubscribe", {"subscriptionId": subscriptionId})

    def deliveries(self, *, subscriptionId: str):
        """Lists the last 200 tries of a webhook, newest first.

        For API keys with the scope events; Forbidden for users. ResourceNotFound: no such subscription of the app.

        Returns: `error` for a try that failed.
        """
        return self._ask("events/deliveries", {"subscriptionId": subscriptionId})


class Home:
    """Groups a user's devices by home (reference: sharing#roles)."""

    def __init__(self, ask):
        self._ask = ask

    def list(self, *, offset: int | None = None, cursor: str | None = None):
        """Lists the caller's homes.

        All of the caller's homes; `cursor` or `offset` only after an answer that was cut.

        Returns: Oldest first; a user has 100 homes at most. A device is in at most one home of each of its users;
        home/addDevice moves it.
        """
        return self._ask("home/list", {"offset": offset, "cursor": cursor})

    def create(self, *, name: str, latitude: float | None = None, longitude: float | None = None):
        """Creates a home.

        Creates a home. Forbidden beyond 100 homes of one user (setting limits.homesPerUser).

        Returns: The new home.
        """
        return self._ask("home/create", {"name": name, "latitude": latitude, "longitude": longitude})

    def rename(self, *, homeId: str, name: str, latitude: float | None = None, longitude: float | None = None):
        """Renames a home.

        Changes the name of a home of the caller, and its place if one is given. ResourceNotFound: no home of the
        caller.

        Returns: {}
        """
        return self._ask("home/rename", {"homeId": homeId, "name": name, "latitude": latitude, "longitude": longitude})

    def delete(self, *, homeId: str):
        """Deletes a home.

        Deletes a home of the caller; its devices stay bound and are then in no home (`changed`).

        Returns: {}
        """
        return self._ask("home/delete", {"homeId": homeId})

    def addDevice(self, *, homeId: str, did: str):
        """Adds a device to a home.

        Puts a device that is bound to the caller (NotBound) into one of the caller's homes (ResourceNotFound), and
        removes it from its previous home. The caller's terminals are notified (`changed`); unbinding removes the device
        from its home.

        Returns: {}
        """
        return self._ask("home/addDevice", {"homeId": homeId, "did": did})

    def removeDevice(self, *, homeId: str, did: str):
        """Removes a device from a home.

        Removes a device from a home of the caller; it stays bound. ResourceNotFound: no home of the caller, or the
        device is not in it.

        Returns: {}
        """
        return self._ask("home/removeDevice", {"homeId": homeId, "did": did})


class Schedule:
    """Creates, changes and lists schedules, which command a device at set times (reference: schedules#when)."""

    def __init__(self, ask):
        self._ask = ask

    def create(
        self, *, did: str, time: str, attrs: dict, date: str | None = None, weekDays: list | None = None,
        monthDays: list | None = None, timezone: str | None = None, remark: str | None = None,
        enabled: bool | None = None, misfire: str | None = None,
    ):
        """Creates a schedule that commands a device at set times.

        Without date, weekDays and monthDays it is one-time, on the first day on which its time is still to come.
        Requires control of the device: NotBound, NotSubscribed, or Forbidden for a user who can only watch. Checked in
        this order: shape, bound, subscribed, access, attrs against the writable data points (field params.attrs.NAME),
        at most 100 schedules a device (Forbidden, field params.did), zone, place, times.

        Returns: The new schedule, and all schedules of the device.
        """
        return self._ask("schedule/create", {
            "did": did, "time": time, "attrs": attrs, "date": date, "weekDays": weekDays, "monthDays": monthDays,
            "timezone": timezone, "remark": remark, "enabled": enabled, "misfire": misfire,
        })

    def list(self, *, did: str | None = None, limit: int | None = None, cursor: str | None = None):
        """Lists the schedules of one device or of all.

        With did the schedules of one device (NotBound if it isn't the caller's), else those of all the caller's
        devices.

        Returns: Device by device, in the order of their creation; write-only values are hidden.
        """
        return self._ask("schedule/list", {"did": did, "limit": limit, "cursor": cursor})

    def update(
        self, *, scheduleId: str, date: str | None = None, time: str | None = None, weekDays: list | None = None,
        monthDays: list | None = None, timezone: str | None = None, attrs: dict | None = None,
        remark: str | None = None, enabled: bool | None = None, misfire: str | None = None,
    ):
        """Changes a schedule or its kind.

        Absent and null members stay unchanged. A given date, weekDays or monthDays sets the kind and clears the others
        (with several, as for create). A disabled schedule stays disabled unless enabled is given. For the creator, the
        special user and the owner; ResourceNotFound for others and for unknown ids. Changing attrs requires control of
        the device (else NotSubscribed or Forbidden). The schedule still acts with its creator's rights.

        Returns: The changed schedule, and all schedules of the device.
        """
        return self._ask("schedule/update", {
            "scheduleId": scheduleId, "date": date, "time": time, "weekDays": weekDays, "monthDays": monthDays,
            "timezone": timezone, "attrs": attrs, "remark": remark, "enabled": enabled, "misfire": misfire,
        })

    def delete(self, *, scheduleId: str):
        """Deletes a schedule.

        Its runs are deleted with it. For the creator, the special user and the owner; ResourceNotFound for others and
        for unknown ids.

        Returns: All schedules of the device, as in schedule/list.
        """
        return self._ask("schedule/delete", {"scheduleId": scheduleId})

    def enable(self, *, scheduleId: str):
        """Enables a schedule.

        Enabled from now on; a one-time schedule whose time has passed gets InvalidRequest, field params.scheduleId. For
        the creator, the special user and the owner; ResourceNotFound for others and for unknown ids.

        Returns: All schedules of the device, as in schedule/list.
        """
        return self._ask("schedule/enable", {"scheduleId": scheduleId})

    def disable(self, *, scheduleId: str):
        """Disables a schedule.

        Its occurrences are skipped, and a trigger for one becomes a dead letter. For the creator, the special user and
        the owner; ResourceNotFound for others and for unknown ids.

        Returns: All schedules of the device, as in schedule/list.
        """
        return self._ask("schedule/disable", {"scheduleId": scheduleId})

    def runs(self, *, scheduleId: str, limit: int | None = None, cursor: str | None = None):
        """Lists the runs of a schedule and their results.

        For every user bound to the device; ResourceNotFound for others and for unknown ids. The runs of a schedule are
        kept for 90 days by default.

        Returns: Newest first, one for each occurrence; a run whose command is still under way is listed once its end is
        known, within 30 s.
        """
        return self._ask("schedule/runs", {"scheduleId": scheduleId, "limit": limit, "cursor": cursor})


class Session:
    """Lists, refreshes and ends the sessions of a user (reference: sessions#life)."""

    def __init__(self, ask):
        self._ask = ask

    def list(self):
        """Lists the terminals that the user is logged in on.

        Returns: The latest login first. `platform`, `os` and `name` are as given at the login, else empty.
        """
        return self._ask("session/list", {})

    def logoutCode(
        self, *, userName: str, accountType: str, verifyType: str, countryCode: str | None = None,
        region: str | None = None, authCode: str | None = None, codeToken: str | None = None,
        password: str | None = None, ifencrypt: int | None = None,
    ):
        """Returns the code that is needed to end sessions of other terminals.

        `userName` is the user's own verified e-mail or phone, the phone in any form (E.164, 86-13800138000, or without
        country code); another user's address is refused like a wrong code or password. `authCode` is a code of purpose
        logoutTerminal. A password is accepted with accountType phone only. InvalidRequest if the other way's field is
        given too; `ifencrypt` 1 is accepted with password and refused with authCode (TLS does the encrypting; the
        password is sent unchanged).

        Returns: Lives 5 minutes and works once, from this terminal.
        """
        return self._ask("session/logoutCode", {
            "userName": userName, "accountType": accountType, "verifyType": verifyType, "countryCode": countryCode,
            "region": region, "authCode": authCode, "codeToken": codeToken, "password": password,
            "ifencrypt": ifencrypt,
        })

    def terminate(self, *, terminalId: str, logoutCode: str):
        """Ends the session of another terminal of the user.

        InvalidCode for a wrong, old or used code; ResourceNotFound for a terminal that the user isn't logged in on,
        without using up the code; InvalidRequest for the caller's own terminal, as account/logout is for that.

        Returns: The session has ended.
        """
        return self._ask("session/terminate", {"terminalId": terminalId, "logoutCode": logoutCode})

    def terminateOthers(self, *, logoutCode: str):
        """Ends the sessions of all other terminals of the user.

        InvalidCode for a wrong, old or used code. If there are no other terminals, the result is 0 and the code is used
        up.

        Returns: The number of sessions that have ended.
        """
        return self._ask("session/terminateOthers", {"logoutCode": logoutCode})

    def refresh(self):
        """Renews the session: a new token and seven more days.

        The old token works until the new one's first use, at most 60 s: its first use in a request, or in a CONNECT,
        which the gate reports to the service on system/token-used. Refreshing with the old token gets InvalidToken; a
        repeat of the same request gets the same answer as long as the old token works.

        Returns: The new token works from the same terminal only.
        """
        return self._ask("session/refresh", {})


class Share:
    """Invites users to a device and transfers devices (reference: sharing#invitations)."""

    def __init__(self, ask):
        self._ask = ask

    def invite(
        self, *, did: str, way: str, guest: dict | None = None, access: str | None = None,
        guestMinutes: int | None = None,
    ):
        """Invites a user to a device.

        For the special user and the owner (Forbidden for others, NotBound for strangers). No role changes before an
        invitation is accepted: with the first acceptance the special user becomes the owner, and normal users become
        guests; an invitation that is rejected, revoked or expires changes nothing. By user: `guest` is required; a
        phone or e-mail must be verified if the app verifies e-mails. If the app reveals accounts, an unknown name gets
        ResourceNotFound, field params.guest.value; otherwise this is never revealed: an invitation to an unknown name
        is answered and expires like any other. InvalidRequest for the caller's own name. Duplicated if the named user
        is bound to the device, or if an invitation by the same name is pending or was accepted. By QR code: the first
        user to scan it answers it; `guest` must be absent. TooManyRequests beyond 200 invitations an hour per user
        (setting limits.invitationsPerHour); Forbidden beyond 200 pending ones per device.

        Returns: `qrCode` with way qrcode only: 128 random bits that are stored hashed, so the text is returned only
        this once.
        """
        return self._ask("share/invite", {
            "did": did, "way": way, "guest": guest, "access": access, "guestMinutes": guestMinutes,
        })

    def list(self, *, type: str, did: str | None = None, limit: int | None = None, cursor: str | None = None):
        """Lists invitations to the caller, or by the caller.

        `toMe`: invitations to the caller, by name or by a code that the caller has answered; `byMe`: invitations that
        the caller made. The newest come first. Ended invitations are shown for 30 days (setting limits.invitationDays).

        Returns: `cursor` if there are more.
        """
        return self._ask("share/list", {"type": type, "did": did, "limit": limit, "cursor": cursor})

    def preview(self, *, sharingId: str | None = None, qrText: str | None = None):
        """Shows an invitation before it is answered.

        For the user who can answer it (share/answer), with the same refusals. It changes nothing and uses nothing up:
        the invitation stays pending. TooManyRequests beyond 30 an hour per terminal (setting
        limits.previewsPerTerminal).

        Returns: The invitation as in share/list, with the device's product and presence.
        """
        return self._ask("share/preview", {"sharingId": sharingId, "qrText": qrText})

    def answer(self, *, accept: bool, sharingId: str | None = None, qrText: str | None = None):
        """Accepts or rejects an invitation.

        An invitation by name is answered by its id, only by the invited user; an invitation by QR code is answered by
        its text, by the first user to scan it. ResourceNotFound: unknown, or to another user. InvalidRequest: the
        caller's own code. Expired: answered, revoked, or past its time. Duplicated: accepting while the device is bound
        already. Forbidden: accepting if the device has 10,000 users or the caller 1,000 devices. TooManyRequests: after
        5 unknown codes in 15 minutes per user.

        Returns: The invitation and its device.
        """
        return self._ask("share/answer", {"accept": accept, "sharingId": sharingId, "qrText": qrText})

    def revoke(self, *, sharingId: str):
        """Revokes an invitation.

        For the inviter; ResourceNotFound for all others, Expired for an invitation that was rejected, has expired or
        was revoked. Revoking an accepted invitation ends that guest's binding.

        Returns: {}
        """
        return self._ask("share/revoke", {"sharingId": sharingId})

    def transfer(self, *, did: str, uid: str):
        """Transfers a device to one of its guests.

        The owner makes a guest the owner (with access control, without end) and is unbound (reason transferred). Guests
        stay, and the invitations that let them in pass to the new owner; the invitation that let the new owner in, and
        pending ones, are revoked. A new ownership period begins: the new owner sees nothing from before it. Forbidden:
        the caller is not the owner. InvalidRequest: the caller's own uid. ResourceNotFound: no guest of the device.

        Returns: {}
        """
        return self._ask("share/transfer", {"did": did, "uid": uid})


# The services by name.
SERVICES = {"account": Account, "app": App, "device": Device, "events": Events, "home": Home, "schedule": Schedule, "session": Session, "share": Share}
