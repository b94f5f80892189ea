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

        No token is needed. If the terminal already has a session, the login ends that session, with the reason
        `replaced`. A login without `deviceId` creates a new anonymous user. If another anonymous user was logged in on
        the terminal, this login erases that user. But a user who has a deviceId, a device, or a session on another
        terminal is kept. TooManyRequests: more than 30 new users on one terminal in a day. The limit for one source
        address is 60 new users in an hour.

        Returns: The answer is the same as for every login.
        """
        return self._ask("account/loginAnonymous", {
            "countryCode": countryCode, "region": region, "deviceId": deviceId, "platform": platform, "os": os,
            "name": name,
        })

    def whoami(self):
        """Returns the user and the session of the token.

        There are no parameters.

        Returns: The token's user and session.
        """
        return self._ask("account/whoami", {})

    def logout(self):
        """Ends the session.

        There are no parameters.

        Returns: The result is {}. The session ends with the reason `loggedOut`. If the app's policy `anonymous` is
        `discard` and the user is anonymous, the user is erased.
        """
        return self._ask("account/logout", {})

    def sendCode(
        self, *, purpose: str | int, countryCode: str | None = None, region: str | None = None,
        phone: str | None = None, email: str | None = None, account: str | None = None,
    ):
        """Sends a code to a phone or an e-mail address.

        No token is needed for the purposes login, register and resetPassword. The purposes `bind`, `operation` and
        `logoutTerminal` need a token. Codes for logoutTerminal are sent only to the user's own verified addresses. A
        code has six digits, is valid for 10 minutes, and works once. All callers who send the code's codeToken share 5
        tries. All callers who don't send it share another 5 tries. A code is valid for one purpose, address, app and
        region. TooManyRequests: the last code of this purpose was sent to the address less than 60 s ago. An address
        gets at most 5 codes of one purpose in an hour, and at most 10 codes of all purposes in a day. A terminal can
        request codes for at most 5 different addresses in an hour. A source address can request 20 codes in an hour.
        After such a refusal, a code that was already sent stays valid. A malformed address gets InvalidRequest and
        nothing is sent. Without the policy revealAccounts, the answer is the same whether or not the account exists.
        With this policy, the purpose `login` needs a phone, or an e-mail that an account has verified. The purpose
        `resetPassword` needs an address with which an account's password can be reset. Other addresses get
        ResourceNotFound. The outcome is published on `app/{appId}/{terminalId}/code`.

        Returns: The number of seconds until another code of this purpose can be sent to this address.
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

        No token is needed. Each check counts as a try. Tries with the codeToken and tries without it are counted
        separately. After five tries of one kind, the code is void for further tries of that kind.

        Returns: A wrong, used, old or unknown code gives `valid: false` and no error.
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

        No token is needed. Give one or more of a phone, an e-mail address and a username. On a terminal whose session
        is anonymous, the anonymous user becomes the registered user. The user keeps the uid, devices and data. A code
        must have the purpose `register`. A ticket must be for an address in the request. If both a phone and an e-mail
        are given, the code or ticket proves one of them. The other one is pending. A pending phone is verified by
        account/bindPhone. A pending e-mail is verified by its link or by account/bindEmail. A pending address can't be
        used to log in. If another account can already log in with the pending address, and the app reveals accounts,
        the request gets Duplicated. If the app does not reveal accounts, the answer is the same as for a free address.
        A phone without an e-mail needs a code or ticket. A phone without an e-mail gets PolicyRejected while the policy
        phoneRegistration is off. While the policy emailRegistration is `code`, an e-mail needs a code or ticket. While
        the policy is `link` or `none`, an e-mail needs neither. A phone that is given with the e-mail also needs
        neither, and is then pending. If no username is given, a proved phone becomes the username. The request can also
        give the proved phone as the username, written in any form that `phone` allows. A taken username gets
        Duplicated. A taken address gets Duplicated only if the code is right. With `link` or `none`, a taken address
        gets Duplicated only if the app reveals accounts. Otherwise it gets the same answer as a new address, and the
        address's owner gets an e-mail. Several accounts can then have the same address, each with its own password. Of
        the accounts that have not verified the address, only the two oldest can log in with it. As long as no account
        has verified the address, each registration sends a verification link to the address. With `none`, the link is
        part of an e-mail that confirms the registration. When an account verifies an address, the service removes the
        address from all other accounts that have not verified it.

        Returns: The answer is the same as for a login.
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

        No token is needed. `account` can be a phone, an e-mail or a username. `code` must have the purpose `login`. A
        code can be given with `phone`, with `email`, or with an `account` that is a phone or an e-mail. If the code is
        right and the phone is unknown, a user is registered. This user has the phone as the username, a verified phone
        and no password. If the terminal's session is anonymous, its anonymous user becomes the registered user. With
        `adopt`, a login to an existing account takes over the anonymous user's devices. Without `adopt`, the answer
        says how many devices the account could take over. If the user has requested the erasure of the account with
        account/cancel, a login before the erasure withdraws the request. A wrong password and an unknown name both get
        InvalidCredentials. A wrong code gets InvalidCode. With the policy revealAccounts an unknown name gets
        ResourceNotFound. After ten failed logins for one name or from one terminal in 15 minutes, further passwords get
        TooManyRequests. A login with a correct code still works. If the terminal already has a session, the login ends
        that session, with the reason `replaced`.

        Returns: The answer is the same as for every login. The terminal also gets its devices on
        `app/{appId}/{terminalId}/devices`.
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
        """Logs in with the app's own user id. The first login registers the user.

        No token is needed. While the policy uidLogin is off, the request gets PolicyRejected. `uid` in the request is
        the app's own id of the user (`externalUid`). `user.uid` in the answer is always the service's own id. The
        password in the first request becomes the user's password. A wrong password in a later request gets
        InvalidCredentials. `createHome` creates a home when the user is registered.

        Returns: The answer is the same as for every login.
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
        """Logs in with a credential of an external provider.

        No token is needed. Accounts are found by provider and subject, never by e-mail. If the service stores an
        address from the provider, the address is unverified. A missing nickname or picture is taken from the provider,
        if the provider returns one. The first login creates a user with a random username and no password (`isNew`). If
        the terminal's session is anonymous, the first login creates no new user. Instead, the anonymous user becomes
        the registered user. The name `auth2` is also accepted for the provider `apple`, because one SDK uses it.

        Returns: The answer is the same as for every login.
        """
        return self._ask("account/loginWithProvider", {
            "provider": provider, "credential": credential, "countryCode": countryCode, "region": region,
            "adopt": adopt, "profile": profile, "platform": platform, "os": os, "name": name,
        })

    def linkProvider(self, *, provider: str, credential: dict):
        """Links an account at an external provider to the user.

        Linking turns an anonymous user into a user with an account. Duplicated: the provider's account belongs to
        another user. If the account is already linked to this user, the method succeeds. A missing nickname or picture
        is taken from the provider, if the provider returns one.

        Returns: {}.
        """
        return self._ask("account/linkProvider", {"provider": provider, "credential": credential})

    def unlinkProvider(self, *, provider: str, credential: dict | None = None):
        """Removes the link to an account at an external provider.

        `credential` is optional and ignored. ResourceNotFound: the provider isn't linked. Forbidden: the provider is
        the user's last way to log in.

        Returns: {}.
        """
        return self._ask("account/unlinkProvider", {"provider": provider, "credential": credential})

    def providers(self):
        """Lists the accounts at external providers that are linked to the user.

        There are no parameters.

        Returns: The oldest first.
        """
        return self._ask("account/providers", {})

    def getUser(self, *, uid: str):
        """Returns the part of a user's data that other users can see.

        ResourceNotFound: the user does not exist, or belongs to another app or region.

        Returns: With the caller's own uid, the answer has all of the user's fields.
        """
        return self._ask("account/getUser", {"uid": uid})

    def queryUsers(self):
        """Refuses every request, because users cannot be searched.

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

        Members that are absent or null stay unchanged. If another user has the `username`, the request gets Duplicated.
        If the policy usernameChangeable is off, a user who already has a username gets PolicyRejected. A phone (with
        its country code) or an e-mail that is given here must then be verified. Until the user has verified this
        address, it can't be used to log in or to reset the password. A phone is verified by account/bindPhone. An
        e-mail is verified by account/bindEmail, or by the link that is sent to it. Until then the address is shown as
        `pendingPhone` or `pendingEmail`. If the account has no phone with which it can log in, `phone` also shows the
        pending phone. The same applies to `email`. If the current address is given again, the pending address is
        dropped. With the policy revealAccounts, another account's address gets Duplicated. Otherwise the address is
        accepted, and its owner gets a message. If a request has both a username and an address, either both are
        accepted or neither is. If they are accepted but another member is refused, the answer is a success with
        `profileError`. A request with only profile fields is refused as a whole if one of these fields is bad.

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

        The picture's bytes must be a PNG or JPEG of at most 45 KiB. Anything else gets InvalidRequest (field
        params.data). The value null removes the picture, even if the picture came from a provider.

        Returns: Each new picture has a new address.
        """
        return self._ask("account/setAvatar", {"data": data})

    def bindPhone(
        self, *, phone: str, countryCode: str | None = None, region: str | None = None, code: str | None = None,
        codeToken: str | None = None, ticket: str | None = None, profile: dict | None = None,
    ):
        """Binds a phone number that the user has verified, and replaces the old one.

        `code` must have the purpose `bind`. A wrong code gets InvalidCode. A correct code gets Duplicated if another
        account has verified the number. If another account has the same phone number but has not verified it, that
        account loses the number. The old number and the user's other terminals are notified. For 24 hours a link sent
        to the old number can undo the change. Undoing the change ends all sessions. It also removes everything with
        which an intruder might log in. The account loses a password that was set after the change, and a username that
        is an unverified e-mail address. It also loses an e-mail address or a provider's identity that was added after
        the change or within a day before the change. A bad `profile` does not prevent the binding, and is reported as
        `profileError`.

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

        `code` must have the purpose `bind`. A wrong code gets InvalidCode. A correct code gets Duplicated if another
        account has verified the address. If another account has the same address without having verified it, that
        account loses the address. The old address and the user's other terminals are notified. The old address gets a
        link, which can undo the change for 24 hours. Undoing the change ends all sessions. It also removes everything
        with which an intruder might log in. The account loses a password that was set after the change, and a username
        that is an unverified e-mail address. It also loses a phone number or a provider's identity that was added after
        the change or within a day before the change. A bad `profile` does not prevent the binding, and is reported as
        `profileError`.

        Returns: The updated user.
        """
        return self._ask("account/bindEmail", {
            "email": email, "countryCode": countryCode, "region": region, "code": code, "codeToken": codeToken,
            "ticket": ticket, "profile": profile,
        })

    def requestEmailVerification(self):
        """Sends a link that verifies the user's e-mail.

        The link is sent to `pendingEmail` if there is one, and otherwise to an unverified `email`. The link is valid
        for 24 hours. A new link makes the old link invalid. ResourceNotFound: the user has no e-mail. PolicyRejected:
        the policy emailVerification is off. If the e-mail is already verified, nothing is sent and the answer is a
        success. The limits are the same as for sendCode.

        Returns: {}.
        """
        return self._ask("account/requestEmailVerification", {})

    def changePassword(self, *, newPassword: str, oldPassword: str | None = None):
        """Sets a new password.

        A wrong old password gets InvalidCredentials. An account without a password needs no old password. All other
        sessions end with the reason passwordChanged. The caller's session continues with its token.

        Returns: {}.
        """
        return self._ask("account/changePassword", {"newPassword": newPassword, "oldPassword": oldPassword})

    def checkPassword(self, *, password: str):
        """Checks the user's password.

        A wrong password counts as a failed login. If the account has no password, no password matches.

        Returns: A wrong password gives `match: false` and no error.
        """
        return self._ask("account/checkPassword", {"password": password})

    def requestPasswordReset(self, *, email: str, countryCode: str | None = None, region: str | None = None):
        """Sends a link to the page that sets a new password.

        No token is needed. The link is for the account that has verified the address. If no account has verified the
        address, the link is for the account that registered with the address. If there is no such account either, the
        link is for the account whose username is the address. If no account matches, the answer is a success as well.
        With the policy revealAccounts, the answer is ResourceNotFound instead. The link is valid for 1 hour and works
        once. A new link makes the old link invalid. If the account was registered with this address and never verified
        it, the link verifies the address. Because other people may have added data before the verification, the account
        then loses its phone number and its linked providers. If its username is an e-mail address other than the
        verified one, the account loses the username, too. All other links that were sent for the account become
        invalid. When the new password is set, all sessions end. The limits are the same as for sendCode.

        Returns: {}.
        """
        return self._ask("account/requestPasswordReset", {"email": email, "countryCode": countryCode, "region": region})

    def resetPassword(
        self, *, code: str, newPassword: str, countryCode: str | None = None, region: str | None = None,
        phone: str | None = None, email: str | None = None, codeToken: str | None = None,
    ):
        """Sets a new password with a code.

        No token is needed. The code must have the purpose `resetPassword`. If the address has an account, `register` is
        also accepted, because other clouds' SDKs send it. The request resets the password of the account that has
        verified the phone or e-mail. If no account has verified it, the account is found in the same way as for
        requestPasswordReset. If the account was registered with this e-mail address and never verified it, the request
        verifies the address. The account then loses the same data as after requestPasswordReset. A wrong code and an
        unknown address both get InvalidCode. With the policy revealAccounts, an unknown address gets ResourceNotFound.
        A weak password gets PolicyRejected, and the code is not used up. All sessions end with the reason
        passwordReset.

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
        """Turns an anonymous user into a registered user.

        The user keeps the uid, the devices, the data and the session. A phone needs a code with the purpose `register`,
        or a ticket. Duplicated: the name or address is taken. Forbidden: the user isn't anonymous.

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

        The code must have the purpose `operation`. It can have been sent to any address. A session is needed, but it
        can be anonymous. The ticket can be used once within 5 minutes. It is valid only from this terminal and only for
        the code's address.

        Returns: A ticket, which can be used once in place of a code.
        """
        return self._ask("account/verifyOperation", {
            "code": code, "countryCode": countryCode, "region": region, "phone": phone, "email": email,
            "codeToken": codeToken,
        })

    def cancel(
        self, *, password: str | None = None, code: str | None = None, codeToken: str | None = None,
        ticket: str | None = None,
    ):
        """The service will erase the account in seven days.

        Give a password, a code or a ticket as proof. The code must have the purpose `operation`. It must have been sent
        to a verified address of the account. No proof is needed while the app's policy cancelProof is off. An account
        without a password and without a verified address also needs no proof. Every address of the account is notified.
        All sessions end with the reason accountCancelled. A login before `deletesAt` undoes the cancellation. At
        `deletesAt` all the user's data is erased.

        Returns: The time at which the account will be erased.
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

        Returns: The app's features. A terminal can read them before it has a session.
        """
        return self._ask("app/info", {})


class Device:
    """Binds devices to users, sends commands, and reads devices' status, history and users (reference: commands#life)."""

    def __init__(self, ask):
        self._ask = ask

    def bind(
        self, *, passcode: str, did: str | None = None, productKey: str | None = None, mac: str | None = None,
        claim: str | None = None,
    ):
        """Binds a device by its passcode.

        Give either `did`, or `productKey` and `mac`. In 15 minutes, one user can make 5 wrong tries for one device. One
        terminal can make 10 wrong tries for all devices together. All users together can make 50 wrong tries for one
        device. Once one of these limits is reached, even the right passcode gets TooManyRequests. The right `claim` is
        accepted even if other users have used up the 50 tries. A try for an unknown device counts only towards this
        user's limit for the given `did` or MAC. A user who is already bound also needs the right passcode. Forbidden:
        the device has an owner or 10,000 users, or the caller has 1,000 devices.

        Returns: The bound device.
        """
        return self._ask("device/bind", {
            "passcode": passcode, "did": did, "productKey": productKey, "mac": mac, "claim": claim,
        })

    def unbind(self, *, did: str):
        """Unbinds the caller from a device.

        The device from which the caller unbinds. NotBound: the caller is not bound to the device.

        Returns: {}
        """
        return self._ask("device/unbind", {"did": did})

    def list(
        self, *, productKeys: list | None = None, offset: int | None = None, cursor: str | None = None,
        limit: int | None = None,
    ):
        """Lists the user's devices.

        By default, `offset` is 0 and `limit` is 100.

        Returns: The device that was bound first comes first. Devices that were bound at the same time are in the order
        of the did.
        """
        return self._ask("device/list", {
            "productKeys": productKeys, "offset": offset, "cursor": cursor, "limit": limit,
        })

    def subscribe(self, *, did: str, subscribed: bool):
        """Turns status messages about a device on or off for the caller.

        A request with the current value succeeds. A request with the value true publishes the latest status again.

        Returns: {}
        """
        return self._ask("device/subscribe", {"did": did, "subscribed": subscribed})

    def status(self, *, did: str):
        """Returns the stored status of a device.

        The caller must be bound to the device, and must not have unsubscribed from it.

        Returns: The stored status, in the form of the status message, with `changed` empty.
        """
        return self._ask("device/status", {"did": did})

    def control(
        self, *, did: str, data: dict | None = None, binary: str | None = None, sn: int | None = None,
        mode: str | None = None, ttl: int | None = None, wait: bool | None = None,
    ):
        """Sends a command to a device.

        Give either `data` or `binary`. The service first checks the request's form. Then it checks the binding
        (NotBound), the subscription (NotSubscribed) and the caller's access (Forbidden). Next, the data must fit the
        writable data points (InvalidRequest, field params.data.NAME). Last, the device must be online (DeviceOffline).

        Returns: Without `wait`, the state is `sent`, or `queued` if the device isn't connected. With `wait`, it is the
        final state. The answer is ok even if the device reported a failure. The same is true if the command expired or
        was superseded, or if its sender lost access.
        """
        return self._ask("device/control", {
            "did": did, "data": data, "binary": binary, "sn": sn, "mode": mode, "ttl": ttl, "wait": wait,
        })

    def query(self, *, did: str, timeout: int | None = None):
        """Asks a device to report now.

        The service asks the device to report now. Once the device has answered, the service answers with the status.
        The errors are NotBound, NotSubscribed, DeviceOffline (not connected) and DeviceTimeout (no answer within
        `timeout`). The device receives a command of type query. A guest with the access `read` can also use this
        method.

        Returns: The stored status, in the form of the status message, with `changed` empty.
        """
        return self._ask("device/query", {"did": did, "timeout": timeout})

    def history(
        self, *, did: str, from_: int, to: int, attr: str | None = None, limit: int | None = None,
        cursor: str | None = None, every: str | None = None, fn: str | None = None, timezone: str | None = None,
    ):
        """Returns a page of a device's reports, or aggregated values from the reports.

        The oldest record comes first. Records with the same time are in the order of their arrival. The history
        contains only records of the device's current ownership period. No record is older than the product's
        historyDays (30 by default). Earlier records are left out, without an error. The first ownership period has no
        beginning, so it also includes records with times before the device's registration. With `every`, time is
        divided into steps, and each row summarises the values of one step. Steps of minutes and hours (15m, 6h) have a
        fixed length. They are counted from the epoch in UTC. Steps of days, weeks (from Monday) and months begin at
        midnight in the zone `timezone`. Days have 23 or 25 hours when the zone's clocks change. A record is used if its
        time is at or after `from` and before `to`. If `from` or `to` lies within a step, only the step's records in
        this period are used. Steps without values are left out. `avg, min, max, sum` use only numbers. InvalidRequest:
        `fn` without `every`, an unknown zone, or a step with more than 5,000,000 records.

        Returns: For a record, `ts` is its time. For a step, `ts` is the time at which the step begins. With `attr`, a
        row has `value`; without `attr`, it has `data`. A row has `binary` if the device sent bytes. A page can have a
        `cursor` for the next page even if it has fewer rows than `limit`, or no rows.
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

        Returns the log of alerts, faults, changes of presence, and runs of schedules. The log also contains a notice if
        the device wrote more history in a day than the service keeps. The newest entries come first. The log reaches
        back as far as the records of device/history. Without `from` and `to`, the whole log is returned.

        Returns: A page can have a `cursor` for the next page even if it has fewer events than `limit`, or no events.
        """
        return self._ask("device/events", {
            "did": did, "from": from_, "to": to, "types": types, "limit": limit, "cursor": cursor,
        })

    def commands(
        self, *, did: str, from_: int | None = None, to: int | None = None, types: list | None = None,
        limit: int | None = None, cursor: str | None = None,
    ):
        """Returns a page of a device's commands.

        Returns the log of commands, sorted by the time of their creation, the newest first. The log reaches back as far
        as the records of device/history.

        Returns: A page can have a `cursor` for the next page even if it has fewer commands than `limit`, or no
        commands.
        """
        return self._ask("device/commands", {
            "did": did, "from": from_, "to": to, "types": types, "limit": limit, "cursor": cursor,
        })

    def bindRemote(self, *, productKey: str, mac: str, claim: str | None = None, productSecret: str | None = None):
        """Binds a device that is not on the LAN, with the text of its label or the product's secret.

        This method is for a device that is not on the LAN. Give either `claim` or `productSecret`. `claim` is the whole
        text of the device's printed label. `productSecret` is accepted only if the product's `remoteBind` is `secret`
        and no other user is bound. The device is created if it has not registered yet. Its first registration then
        needs no oldSecret and sets the passcode. NotListed: the product's `registration` is `listed`, and the MAC is
        not on its list. A wrong claim or secret, an unknown device and a product of another app get InvalidCredentials.
        All these failed tries count together with the wrong passcodes of device/bind. In 15 minutes, one user can make
        5 wrong tries for one device. One terminal can make 10 wrong tries for all devices together. All users together
        can make 50 wrong tries for one device. Beyond these limits the request gets TooManyRequests. The limit of 50
        tries does not apply to requests with the right `claim`. Forbidden: the device has an owner or 10,000 users, or
        the caller has 1,000 devices. Only requests with the right claim or secret get Forbidden. If the caller is
        already bound, the request succeeds and changes nothing.

        Returns: The bound device.
        """
        return self._ask("device/bindRemote", {
            "productKey": productKey, "mac": mac, "claim": claim, "productSecret": productSecret,
        })

    def setCustomInfo(self, *, did: str, alias: str | None = None, remark: str | None = None):
        """Sets the caller's own name and note for a device.

        Sets the caller's own name and note for the device. No other user sees them. A name or note that is absent or
        null stays unchanged. An empty string clears it. A change is pushed to the caller's terminals (`changed`).

        Returns: {}
        """
        return self._ask("device/setCustomInfo", {"did": did, "alias": alias, "remark": remark})

    def hardware(self, *, did: str):
        """Returns the hardware and firmware versions of a device.

        Returns the data that the device sent about itself, at its registration and later. All bound users may read it,
        even without a subscription.

        Returns: `productKey` is present even if the device did not send it. `productKey` is the only member if the
        device sent nothing, or if the device was bound remotely and has not registered yet.
        """
        return self._ask("device/hardware", {"did": did})

    def users(self, *, did: str, limit: int | None = None, cursor: str | None = None):
        """Lists the users who are bound to a device.

        Only the special user and the owner may list the users. Others get Forbidden. The oldest binding comes first.
        Bindings that were made at the same time are in the order of the uid.

        Returns: All users bound to the device, including the caller. Their names help the owner to tell the users
        apart. `cursor` is present if there are more users.
        """
        return self._ask("device/users", {"did": did, "limit": limit, "cursor": cursor})

    def removeUser(self, *, did: str, uid: str):
        """Removes a guest from a device.

        The owner removes a guest from the device. Forbidden: the caller is not the owner. InvalidRequest: the uid is
        the owner's own. An owner must use device/unbind instead. ResourceNotFound: the user is not bound. The guest is
        notified (message `unbound` with the reason `removed`). The guest's retained status is cleared, and the guest's
        invitation is revoked.

        Returns: {}
        """
        return self._ask("device/removeUser", {"did": did, "uid": uid})

    def allowReset(self, *, did: str):
        """Lets a device be reset to its factory state.

        The special user or the owner allows the device to be reset. One registration without the old secret then
        succeeds within 15 minutes. This registration counts as a factory reset. Other users get Forbidden. If the
        product's `reset` is `operator`, all users get Forbidden. The permission is void if the user who gave it unbinds
        the device.

        Returns: The time until which the reset is allowed.
        """
        return self._ask("device/allowReset", {"did": did})


class Events:
    """Lets servers with an API key read the event log and manage subscriptions (reference: events)."""

    def __init__(self, ask):
        self._ask = ask

    def read(
        self, *, after: str | None = None, subscriptionId: str | None = None, types: list | None = None,
        productKeys: list | None = None, dids: list | None = None, limit: int | None = None, wait: int | None = None,
    ):
        """Returns entries of the event log, or waits for the next one.

        Only for API keys with the scope events; users get Forbidden. Without `types`, entries of all types except
        device.status are returned. InvalidRequest: an unknown type or product, or a string that is not a cursor.
        TooManyRequests: too many readers with this key are waiting (limits.eventReadersPerKey). ResourceNotFound: the
        app has no such subscription.

        Returns: If entries after the given position are no longer kept, the first entry has the type events.gap.
        """
        return self._ask("events/read", {
            "after": after, "subscriptionId": subscriptionId, "types": types, "productKeys": productKeys, "dids": dids,
            "limit": limit, "wait": wait,
        })

    def subscribe(
        self, *, name: str, types: list, productKeys: list | None = None, dids: list | None = None,
        url: str | None = None, batch: int | None = None, from_: str | None = None,
    ):
        """Makes a subscription: a cursor that the service stores, or a webhook.

        Only for API keys with the scope events; users get Forbidden. Forbidden: the app already has 20 subscriptions.
        InvalidRequest: a type or a product that doesn't exist, or an address that is not allowed.

        Returns: `secret` is present for a webhook, and is returned only this once.
        """
        return self._ask("events/subscribe", {
            "name": name, "types": types, "productKeys": productKeys, "dids": dids, "url": url, "batch": batch,
            "from": from_,
        })

    def ack(self, *, subscriptionId: str, cursor: str):
        """Moves a subscription's cursor forward.

        Only for API keys with the scope events; users get Forbidden. ResourceNotFound: the app has no such
        subscription.

        Returns: {}
        """
        return self._ask("events/ack", {"subscriptionId": subscriptionId, "cursor": cursor})

    def update(
        self, *, subscriptionId: str, types: list | None = None, url: str | None = None, batch: int | None = None,
        state: str | None = None, cursor: str | int | None = None,
    ):
        """Changes a subscription. If its cursor is moved back, the events after the new position are sent again.

        Only for API keys with the scope events; users get Forbidden. ResourceNotFound: the app has no such
        subscription. InvalidRequest: url is given for a subscription without a webhook.

        Returns: {}
        """
        return self._ask("events/update", {
            "subscriptionId": subscriptionId, "types": types, "url": url, "batch": batch, "state": state,
            "cursor": cursor,
        })

    def subscriptions(self):
        """Lists the app's subscriptions.

        Only for API keys with the scope events; users get Forbidden.

        Returns: All subscriptions of the app, the oldest first. Subscriptions made with other API keys are included.
        """
        return self._ask("events/subscriptions", {})

    def rotate(self, *, subscriptionId: str):
        """Gives a webhook a new secret. For 24 hours, batches are signed with both secrets.

        Only for API keys with the scope events; users get Forbidden. InvalidRequest: the subscription has no webhook.
        ResourceNotFound: the app has no such subscription.

        Returns: The secret is returned only this once.
        """
        return self._ask("events/rotate", {"subscriptionId": subscriptionId})

    def unsubscribe(self, *, subscriptionId: str):
        """Removes a subscription; after that, no new delivery begins.

        Only for API keys with the scope events; users get Forbidden. ResourceNotFound: the app has no such
        subscription.

        Returns: {}
        """
        return self._ask("events/unsubscribe", {"subscriptionId": subscriptionId})

    def deliveries(self, *, subscriptionId: str):
        """Lists the last 200 attempts to deliver events to a webhook, newest first.

        Only for API keys with the scope events; users get Forbidden. ResourceNotFound: the app has no such
        subscription.

        Returns: The last 200 attempts to deliver events, newest first. A failed attempt has `error`.
        """
        return self._ask("events/deliveries", {"subscriptionId": subscriptionId})


class Home:
    """Groups a user's devices by home (reference: sharing#roles)."""

    def __init__(self, ask):
        self._ask = ask

    def list(self, *, offset: int | None = None, cursor: str | None = None):
        """Lists the caller's homes.

        Lists all of the caller's homes. If an answer does not contain all homes, request the rest with `cursor` or
        `offset`.

        Returns: The oldest home comes first. A user has at most 100 homes. Each user can put a device in only one home.
        home/addDevice moves the device to another home.
        """
        return self._ask("home/list", {"offset": offset, "cursor": cursor})

    def create(self, *, name: str, latitude: float | None = None, longitude: float | None = None):
        """Creates a home.

        Creates a home. Forbidden: the user already has 100 homes (setting limits.homesPerUser).

        Returns: The new home.
        """
        return self._ask("home/create", {"name": name, "latitude": latitude, "longitude": longitude})

    def rename(self, *, homeId: str, name: str, latitude: float | None = None, longitude: float | None = None):
        """Renames a home.

        Changes the name of one of the caller's homes. If a place is given, the home's place changes too.
        ResourceNotFound: the caller has no such home.

        Returns: {}
        """
        return self._ask("home/rename", {"homeId": homeId, "name": name, "latitude": latitude, "longitude": longitude})

    def delete(self, *, homeId: str):
        """Deletes a home.

        Deletes one of the caller's homes. The home's devices stay bound, but are then in no home. The caller's
        terminals are notified (`changed`).

        Returns: {}
        """
        return self._ask("home/delete", {"homeId": homeId})

    def addDevice(self, *, homeId: str, did: str):
        """Adds a device to a home.

        Puts a device into one of the caller's homes, and removes it from its previous home. NotBound: the caller is not
        bound to the device. ResourceNotFound: the caller has no such home. The caller's terminals are notified
        (`changed`). Unbinding removes the device from its home.

        Returns: {}
        """
        return self._ask("home/addDevice", {"homeId": homeId, "did": did})

    def removeDevice(self, *, homeId: str, did: str):
        """Removes a device from a home.

        Removes a device from one of the caller's homes. The device stays bound. ResourceNotFound: the caller has no
        such home, or the device is not in it.

        Returns: {}
        """
        return self._ask("home/removeDevice", {"homeId": homeId, "did": did})


class Notification:
    """Lists and explains notifications of events, and pushes them to terminals (reference: notifications)."""

    def __init__(self, ask):
        self._ask = ask

    def list(
        self, *, kind: str | None = None, unread: bool | None = None, did: str | None = None, limit: int | None = None,
        cursor: str | None = None,
    ):
        """Lists the user's notifications.

        The newest notifications come first. `kind`, `did` and `unread` restrict which notifications are listed.

        Returns: The notifications, and how many are unread. `cursor` is present if there are more notifications.
        """
        return self._ask("notification/list", {
            "kind": kind, "unread": unread, "did": did, "limit": limit, "cursor": cursor,
        })

    def markRead(self, *, notificationIds: list | None = None, all: object | None = None, kind: str | None = None):
        """Marks notifications as read, on all terminals of the user.

        ResourceNotFound: one of the notifications doesn't exist or belongs to another user. In that case, no
        notification is marked.

        Returns: How many notifications are still unread.
        """
        return self._ask("notification/markRead", {"notificationIds": notificationIds, "all": all, "kind": kind})

    def delete(self, *, notificationIds: list | None = None, all: object | None = None, kind: str | None = None):
        """Deletes notifications, on all terminals of the user.

        ResourceNotFound: one of the notifications doesn't exist or belongs to another user. In that case, no
        notification is deleted.

        Returns: How many notifications are still unread.
        """
        return self._ask("notification/delete", {"notificationIds": notificationIds, "all": all, "kind": kind})

    def settings(
        self, *, device: bool | None = None, home: bool | None = None, system: bool | None = None,
        dids: dict | None = None, offlineMinutes: int | None = None, quiet: dict | None | None = None,
    ):
        """Returns or changes the user's settings for notifications.

        Absent fields stay unchanged. Without fields, the method only returns the settings. InvalidRequest: the system
        doesn't know the time zone.

        Returns: The answer contains all settings. `dids` lists the devices whose notifications are switched off.
        `quiet` is absent if there are no quiet hours.
        """
        return self._ask("notification/settings", {
            "device": device, "home": home, "system": system, "dids": dids, "offlineMinutes": offlineMinutes,
            "quiet": quiet,
        })

    def setPush(self, *, push: dict | None | None = None):
        """Sets the address at which a push service reaches this terminal.

        A terminal has one address. A new address replaces the old one, and null removes it. Without `push`, the method
        only returns the stored address. If two terminals set the same address, only the one that set it last keeps it.
        The end of the session removes the address. An API key gets Forbidden. InvalidRequest with field
        params.push.address: the service is not allowed to connect to this Web Push address.

        Returns: The data about the terminal's push address, as in session/list. `push` is absent if the terminal has no
        address.
        """
        return self._ask("notification/setPush", {"push": push})

    def test(self):
        """Sends a test notification to this terminal.

        The test is not listed in the message centre. An API key gets Forbidden. TooManyRequests: the terminal has
        received 60 pushes in an hour.

        Returns: `noAddress`: the terminal has no push address. `notConfigured`: the app has no credentials for the push
        service.
        """
        return self._ask("notification/test", {})

    def explain(
        self, *, did: str | None = None, from_: int | None = None, to: int | None = None, limit: int | None = None,
    ):
        """Explains why the user was, or was not, notified of events.

        Returns the decisions that the service made at the time of the events: whether to notify the user, and why.
        Later changes to the settings don't change these decisions. The newest event comes first. The reasons why the
        user was not notified are kept for 7 days. An event has no row if events of this type don't notify anyone, or if
        they notify only other users (reference: notifications#events). If the user deleted a notification, its event
        has no row. NotBound: the user isn't bound to the device.

        Returns: One row for each event.
        """
        return self._ask("notification/explain", {"did": did, "from": from_, "to": to, "limit": limit})

    def send(
        self, *, title: str, text: str, uid: str | None = None, did: str | None = None, kind: str | None = None,
        data: dict | None = None,
    ):
        """Lets the maker's server notify users.

        Only API keys with the scope notification may use this method. Users get Forbidden. With `did`, all users of the
        app who are bound to the device are notified. ResourceNotFound: the app has no such user or device.

        Returns: The users are notified within seconds.
        """
        return self._ask("notification/send", {
            "title": title, "text": text, "uid": uid, "did": did, "kind": kind, "data": data,
        })


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

        If date, weekDays and monthDays are all absent, the schedule runs once, when its time of day next comes. The
        caller must be able to control the device. Otherwise the request gets NotBound or NotSubscribed. A user who can
        only watch gets Forbidden. The order of the checks is: form, binding, subscription, access, attrs, number of
        schedules, zone, place, times. attrs must fit the writable data points (field params.attrs.NAME). The device
        must have fewer than 100 schedules (Forbidden, field params.did).

        Returns: The new schedule, and all schedules of the device.
        """
        return self._ask("schedule/create", {
            "did": did, "time": time, "attrs": attrs, "date": date, "weekDays": weekDays, "monthDays": monthDays,
            "timezone": timezone, "remark": remark, "enabled": enabled, "misfire": misfire,
        })

    def list(self, *, did: str | None = None, limit: int | None = None, cursor: str | None = None):
        """Lists the schedules of one device or of all devices.

        With did, the schedules of one device are listed. Without did, the schedules of all the caller's devices are
        listed. NotBound: the device isn't bound to the caller.

        Returns: The schedules of each device are listed together, in the order of their creation. Write-only values are
        hidden.
        """
        return self._ask("schedule/list", {"did": did, "limit": limit, "cursor": cursor})

    def update(
        self, *, scheduleId: str, date: str | None = None, time: str | None = None, weekDays: list | None = None,
        monthDays: list | None = None, timezone: str | None = None, attrs: dict | None = None,
        remark: str | None = None, enabled: bool | None = None, misfire: str | None = None,
    ):
        """Changes a schedule.

        Members that are absent or null stay unchanged. If date, weekDays or monthDays is given, this member sets the
        kind of schedule. The other two members are then cleared. If the request contains more than one of these three
        members, weekDays takes precedence over monthDays, and monthDays over date. A disabled schedule stays disabled
        unless `enabled` is true. Only the schedule's creator, the special user and the owner may use this method.
        Requests from other users or with an unknown id get ResourceNotFound. To change attrs, the caller must be able
        to control the device (otherwise NotSubscribed or Forbidden). The schedule still acts with its creator's rights.

        Returns: The changed schedule, and all schedules of the device.
        """
        return self._ask("schedule/update", {
            "scheduleId": scheduleId, "date": date, "time": time, "weekDays": weekDays, "monthDays": monthDays,
            "timezone": timezone, "attrs": attrs, "remark": remark, "enabled": enabled, "misfire": misfire,
        })

    def delete(self, *, scheduleId: str):
        """Deletes a schedule.

        The schedule's runs are deleted too. Only the schedule's creator, the special user and the owner may use this
        method. Requests from other users or with an unknown id get ResourceNotFound.

        Returns: All schedules of the device, as in schedule/list.
        """
        return self._ask("schedule/delete", {"scheduleId": scheduleId})

    def enable(self, *, scheduleId: str):
        """Enables a schedule.

        The schedule is enabled from now on. InvalidRequest, field params.scheduleId: the schedule is one-time and its
        time has passed. Only the schedule's creator, the special user and the owner may use this method. Requests from
        other users or with an unknown id get ResourceNotFound.

        Returns: All schedules of the device, as in schedule/list.
        """
        return self._ask("schedule/enable", {"scheduleId": scheduleId})

    def disable(self, *, scheduleId: str):
        """Disables a schedule.

        A disabled schedule's occurrences are skipped. A trigger is a message that starts an occurrence. If a trigger
        still arrives for a disabled schedule, the trigger becomes a dead letter. Only the schedule's creator, the
        special user and the owner may use this method. Requests from other users or with an unknown id get
        ResourceNotFound.

        Returns: All schedules of the device, as in schedule/list.
        """
        return self._ask("schedule/disable", {"scheduleId": scheduleId})

    def runs(self, *, scheduleId: str, limit: int | None = None, cursor: str | None = None):
        """Lists the runs of a schedule and their results.

        Every user who is bound to the device may list the runs. Requests from other users or with an unknown id get
        ResourceNotFound. The runs of a schedule are kept for 90 days by default.

        Returns: The newest run comes first; each occurrence has one run. A run appears in the list as soon as the
        outcome of its command is known. This takes at most 30 s.
        """
        return self._ask("schedule/runs", {"scheduleId": scheduleId, "limit": limit, "cursor": cursor})


class Session:
    """Lists, refreshes and ends the sessions of a user (reference: sessions#life)."""

    def __init__(self, ask):
        self._ask = ask

    def list(self):
        """Lists the terminals on which the user is logged in.

        There are no parameters.

        Returns: The latest login comes first. `platform`, `os` and `name` are the strings that were given at the login,
        or empty strings. The session of a linked Home Assistant has the platform homeAssistant. `push` is absent if the
        terminal has no push address.
        """
        return self._ask("session/list", {})

    def logoutCode(
        self, *, userName: str, accountType: str, verifyType: str, countryCode: str | None = None,
        region: str | None = None, authCode: str | None = None, codeToken: str | None = None,
        password: str | None = None, ifencrypt: int | None = None,
    ):
        """Returns the code that is needed to end sessions of other terminals.

        `userName` is the user's own verified e-mail or phone. The phone may have any form (E.164, 86-13800138000, or
        without country code). Another user's address is refused like a wrong code or password. `authCode` is a code
        with the purpose logoutTerminal. A password is accepted only with accountType phone. InvalidRequest: both a code
        and a password are given. `ifencrypt` 1 is accepted with a password and refused with `authCode`. `ifencrypt` has
        no other effect: TLS encrypts the request, and the password is sent unchanged.

        Returns: The code is valid for 5 minutes and works once, from this terminal.
        """
        return self._ask("session/logoutCode", {
            "userName": userName, "accountType": accountType, "verifyType": verifyType, "countryCode": countryCode,
            "region": region, "authCode": authCode, "codeToken": codeToken, "password": password,
            "ifencrypt": ifencrypt,
        })

    def terminate(self, *, terminalId: str, logoutCode: str):
        """Ends the session of another terminal of the user.

        InvalidCode: the code is wrong, has expired, or was used before. ResourceNotFound: the user isn't logged in on
        the terminal. The code then stays valid. InvalidRequest: the terminal is the caller's own; use account/logout
        instead.

        Returns: The session has ended.
        """
        return self._ask("session/terminate", {"terminalId": terminalId, "logoutCode": logoutCode})

    def terminateOthers(self, *, logoutCode: str):
        """Ends the sessions of all other terminals of the user.

        InvalidCode: the code is wrong, old or used. If there are no other terminals, the result is 0 and the code is
        used up.

        Returns: The number of sessions that have ended.
        """
        return self._ask("session/terminateOthers", {"logoutCode": logoutCode})

    def unlink(self, *, sessionId: str):
        """Ends the session of a linked service, such as a voice assistant or a Home Assistant. No logout code is
        needed.

        ResourceNotFound: the user has no linked service with this session.

        Returns: {}. The linked service's tokens are refused from now on.
        """
        return self._ask("session/unlink", {"sessionId": sessionId})

    def refresh(self):
        """Renews the session with a new token and, by default, seven more days.

        The old token works for 60 s at most. It stops when the new token is first used. The first use is a request or a
        CONNECT with the new token. The gate reports a CONNECT to the service on system/token-used. A refresh with the
        old token and a new `id` gets InvalidToken. While the old token works, a repeat of the same request gets the
        same answer.

        Returns: The new token works only from the same terminal.
        """
        return self._ask("session/refresh", {})

    def link(self, *, kind: str, name: str | None = None):
        """Begins a session for the user's Home Assistant (reference: home-assistant#links).

        Forbidden: the user already has the maximum number of links (limits.homeAssistantsPerUser).

        Returns: The data with which Home Assistant connects to the broker. The password is shown only once. The session
        does not expire.
        """
        return self._ask("session/link", {"kind": kind, "name": name})


class Share:
    """Invites users to a device and transfers devices (reference: sharing#invitations)."""

    def __init__(self, ask):
        self._ask = ask

    def invite(
        self, *, did: str, way: str, guest: dict | None = None, access: str | None = None,
        guestMinutes: int | None = None,
    ):
        """Invites a user to a device.

        Only the special user and the owner may invite. Other users of the device get Forbidden. Users who are not bound
        to the device get NotBound. No role changes before an invitation is accepted. When the first invitation is
        accepted, the special user becomes the owner. Normal users become guests. If an invitation is rejected or
        revoked, or expires, nothing changes. With way `user`, `guest` is required. If the policy emailVerification is
        on, a phone or e-mail in `guest` counts as unknown until its user has verified it. If the app's policy
        revealAccounts is on, an unknown name gets ResourceNotFound, field params.guest.value. If this policy is off,
        the service never reveals that a name is unknown. The request gets the usual answer, and the invitation expires
        like any other. InvalidRequest: the name is the caller's own. Duplicated: the named user is bound to the device,
        or an invitation to the same name is pending or was accepted. With way `qrcode`, `guest` must be absent. The
        first user to scan the code answers the invitation. TooManyRequests: the user has made 200 invitations in an
        hour (setting limits.invitationsPerHour). Forbidden: the device has 200 pending invitations.

        Returns: `qrCode` is present only with way `qrcode`. The QR code contains 128 random bits. The service stores
        only their hash. So the text is returned only this once.
        """
        return self._ask("share/invite", {
            "did": did, "way": way, "guest": guest, "access": access, "guestMinutes": guestMinutes,
        })

    def list(self, *, type: str, did: str | None = None, limit: int | None = None, cursor: str | None = None):
        """Lists the invitations that the caller has received or made.

        `toMe`: invitations that name the caller, and QR code invitations that the caller has answered. `byMe`:
        invitations that the caller made. The newest invitations come first. Ended invitations are shown for 30 days
        (setting limits.invitationDays).

        Returns: `cursor` is present if there are more invitations.
        """
        return self._ask("share/list", {"type": type, "did": did, "limit": limit, "cursor": cursor})

    def preview(self, *, sharingId: str | None = None, qrText: str | None = None):
        """Shows an invitation before it is answered.

        Only the user who can answer the invitation may preview it. The refusals are the same as for share/answer. The
        preview changes nothing, and the invitation stays pending. TooManyRequests: the terminal has had 30 previews in
        an hour (setting limits.previewsPerTerminal).

        Returns: The invitation as in share/list, with the device's product and presence.
        """
        return self._ask("share/preview", {"sharingId": sharingId, "qrText": qrText})

    def answer(self, *, accept: bool, sharingId: str | None = None, qrText: str | None = None):
        """Accepts or rejects an invitation.

        If an invitation names a user, only that user can answer it. The request contains the invitation's id. If an
        invitation has a QR code, the first user who scans the code answers it. The request contains the code's text.
        ResourceNotFound: the invitation is unknown, or is for another user. InvalidRequest: the code is the caller's
        own. Expired: the invitation was answered or revoked, or has expired. Duplicated: the caller accepts, but the
        device is already bound to the caller. Forbidden: the caller accepts, but the device has 10,000 users or the
        caller has 1,000 devices. TooManyRequests: the user has sent 5 unknown codes in 15 minutes.

        Returns: The invitation and its device.
        """
        return self._ask("share/answer", {"accept": accept, "sharingId": sharingId, "qrText": qrText})

    def revoke(self, *, sharingId: str):
        """Revokes an invitation.

        Only the inviter may revoke an invitation; other users get ResourceNotFound. Expired: the invitation was
        rejected, has expired or was revoked. Revoking an accepted invitation ends the guest's binding.

        Returns: {}
        """
        return self._ask("share/revoke", {"sharingId": sharingId})

    def transfer(self, *, did: str, uid: str):
        """Transfers a device to one of its guests.

        The owner makes a guest the new owner. The new owner has the access `control` and no time limit. The old owner
        is unbound, and the reason is `transferred`. The other guests stay, and their invitations pass to the new owner.
        The new owner's own invitation and all pending invitations are revoked. A new ownership period begins, and the
        new owner sees no data from earlier periods. Forbidden: the caller is not the owner. InvalidRequest: the uid is
        the caller's own. ResourceNotFound: the user is not a guest of the device.

        Returns: {}
        """
        return self._ask("share/transfer", {"did": did, "uid": uid})


# The services by name.
SERVICES = {"account": Account, "app": App, "device": Device, "events": Events, "home": Home, "notification": Notification, "schedule": Schedule, "session": Session, "share": Share}
