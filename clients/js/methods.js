// The requests of apps, one method each. Made by clients/generate.py from the schemas; edit those.

/** @typedef {(method: string, params: object) => Promise<any>} Ask */

/** @typedef {{uid: string, externalUid?: string, appId: string, region: string, countryCode: string, username?: string, phone?: string, phoneVerified: boolean, pendingPhone?: string, email?: string, emailVerified?: boolean, pendingEmail?: string, nickname: string, avatarUrl?: string, tempUnit: 1|2, timezone: string, latitude?: number, longitude?: number, name?: string, gender?: string, birthday?: string, address?: string, remark?: string, language?: string, custom?: Object<string, any>, anonymous: boolean, providers: Array<string>, createdAt: number, lastLoginAt: number}} User An account as its own user sees it. */
/** @typedef {{sessionId: string, terminalId: string, platform?: string, os?: string, name?: string, loginTime: number, lastSeenAt?: number, expiresAt: number}} Session The session whose token was used, without the token itself. */
/** @typedef {{nickname?: string, tempUnit?: 1|2, timezone?: string, latitude?: number, longitude?: number, name?: string, gender?: "male"|"female"|"other"|"unknown", birthday?: string, address?: string, remark?: string, language?: string, custom?: Object<string, any>}} Profile The user's data about themselves. Members that are absent or null stay unchanged. InvalidRequest: the time zone or a key of `profile` is unknown. A latitude outside ±90 or a longitude outside ±180 gets the same error. For an unknown key, the error's field is the key's path (such as params.profile.interest). The app's own data belongs in `custom`. */
/** @typedef {{code: "InvalidRequest"|"InvalidToken"|"InvalidCredentials"|"InvalidCode"|"Forbidden"|"ResourceNotFound"|"Duplicated"|"TooManyRequests"|"RegionNotServed"|"DeviceOffline"|"DeviceTimeout"|"NotBound"|"NotSubscribed"|"NotListed"|"Expired"|"PolicyRejected"|"Unavailable"|"Internal", message: string, field?: string, reason?: string, retryAfter?: number, region?: string, endpoint?: string}} ErrorBody */
/** @typedef {{did: string, productKey: string, mac: string, productName: string, alias: string, remark: string, role: "special"|"normal"|"owner"|"guest", access: "control"|"read", online: boolean, subscribed: boolean, boundAt: number, guestUntil?: number, homeId?: string}} Device A device as its bound users see it. */
/** @typedef {{kind: "user"|"device"|"schedule"|"service"|"operator"|"system", id: string, terminalId?: string}} Actor The user, device or other party that caused a change. `id` is the uid, the did, the scheduleId, or the name of the API key, linked service or operator. The id `lamplighter` stands for the service itself. `terminalId` is shown only to the user who caused the change, and never to a device. */
/** @typedef {{wifiHardVersion?: string, wifiSoftVersion?: string, mcuHardVersion?: string, mcuSoftVersion?: string, wifiFirmwareId?: string, wifiFirmwareVer?: string, productKey?: string, link?: "wifi"|"cellular"|"bluetooth"|"ethernet"}} Hardware The device's hardware and firmware. Fields that a later message omits stay unchanged. */
/** @typedef {{id: string, type: "device.registered"|"device.online"|"device.offline"|"device.alert"|"device.alertCleared"|"device.fault"|"device.faultCleared"|"device.bound"|"device.unbound"|"device.roleChanged"|"device.command"|"device.historyLimited"|"device.status"|"share.changed"|"schedule.run"|"account.created"|"account.changed"|"account.deleted"|"session.started"|"session.ended"|"message.failed"|"notification.sent"|"events.gap", ts: number, did?: string, productKey?: string, uid?: string, actor?: Actor, data: Object<string, any>}} LoggedEvent An entry is written in the same transaction as the change that it describes. An entry can be delivered more than once, with the same id. Entries about one device are in the order of the changes. A reader gets entries about its app's users and about devices of its app's products. `uid` and `actor` are left out if they name another app's user. */
/** @typedef {{notificationId: string, kind: "device"|"home"|"system", type: string, did?: string, title: string, text: string, ts: number, read: boolean, count: number, clearedAt?: number, data?: Object<string, any>}} Notification A notification in the user's message centre. */
/** @typedef {{device: number, home: number, system: number}} Unread The number of unread notifications of each kind. */
/** @typedef {{from: string, to: string, timezone?: string}} QuietHours A daily period in which pushes wait. Faults and notifications about the account are pushed in any case. */
/** @typedef {{kind: "fcm"|"apns"|"webpush"|"gateway", since: number, lastOkAt?: number, error?: string}} PushState The data about a terminal's push address, without the address itself. */
/** @typedef {{kind: "fcm"|"apns"|"webpush"|"gateway", address: string, keys?: {p256dh: string, auth: string}, sandbox?: boolean}} PushAddress The address of a terminal at a push service. */
/** @typedef {{ts: number, eventId: string, type: string, did?: string, outcome: "pushed"|"shown"|"held"|"off"|"collapsed"|"limited"|"failed"|"noAddress"|"notConfigured"|"notSubscribed"|"pending", why: string, notificationId?: string, terminals: Array<{terminalId: string, outcome: "pushed"|"shown"|"held"|"off"|"collapsed"|"limited"|"failed"|"noAddress"|"notConfigured"|"notSubscribed"|"pending", error?: string, at: number}>}} Reason The decision about one event. */
/** @typedef {{scheduleId: string, did: string, nextAt?: number, date?: string, time: string, weekDays?: Array<number>, monthDays?: Array<number>, timezone: string, attrs: Object<string, any>|any, remark: string, enabled: boolean, misfire: "skip"|"run", actor: {kind: "user"|"device"|"schedule"|"service"|"operator"|"system", id: string, terminalId?: string}, createdAt: number, updatedAt: number, polar?: {date: string, sun: "polarDay"|"polarNight"}}} Schedule A command that a device receives at set times. A schedule has exactly one of date (one-time), weekDays (weekly) and monthDays (monthly). */
/** @typedef {{sharingId: string, did: string, productName?: string, alias?: string, way: "user"|"qrcode", access: "control"|"read", guestMinutes?: number, status: "pending"|"accepted"|"rejected"|"expired"|"revoked", createdAt: number, expiresAt: number, updatedAt: number, acceptedAt?: number, inviter: {uid?: string, nickname?: string, username?: string, phone?: string, email?: string, type?: "phone"|"email"|"username"|"uid"|"anonymous", value?: string}, guest: {uid?: string, nickname?: string, username?: string, phone?: string, email?: string, type?: "phone"|"email"|"username"|"uid"|"anonymous", value?: string}}} Sharing An invitation as its inviter or its guest sees it. Names and addresses of the other user are masked. The user who views the invitation is shown with `uid` and `nickname`. */

/** Registers and logs in users, verifies their phones and e-mails, and keeps their profiles (reference: accounts#scope). */
export class Account {
  /** @param {Ask} ask */
  constructor(ask) { this.ask = ask; }

  /**
   * Logs in as an anonymous user.
   *
   * No token is needed. If the terminal already has a session, the login ends that session, with the reason `replaced`.
   * A login without `deviceId` creates a new anonymous user. If another anonymous user was logged in on the terminal,
   * this login erases that user. But a user who has a deviceId, a device, or a session on another terminal is kept.
   * TooManyRequests: more than 30 new users on one terminal in a day. The limit for one source address is 60 new users in
   * an hour.
   * @param {{countryCode?: string, region?: string, deviceId?: string, platform?: string, os?: string, name?: string}} [params]
   * @returns {Promise<{user: User, token: string, sessionId: string, expiresAt: number, isNew: boolean, adopted?: number, adoptable?: number}>}
   */
  loginAnonymous(params = {}) { return this.ask("account/loginAnonymous", params); }

  /**
   * Returns the user and the session of the token.
   *
   * There are no parameters.
   * @returns {Promise<{user: User, session: Session}>}
   */
  whoami() { return this.ask("account/whoami", {}); }

  /**
   * Ends the session.
   *
   * There are no parameters.
   * @returns {Promise<Object<string, any>>}
   */
  logout() { return this.ask("account/logout", {}); }

  /**
   * Sends a code to a phone or an e-mail address.
   *
   * No token is needed for the purposes login, register and resetPassword. The purposes `bind`, `operation` and
   * `logoutTerminal` need a token. Codes for logoutTerminal are sent only to the user's own verified addresses. A code
   * has six digits, is valid for 10 minutes, and works once. All callers who send the code's codeToken share 5 tries. All
   * callers who don't send it share another 5 tries. A code is valid for one purpose, address, app and region.
   * TooManyRequests: the last code of this purpose was sent to the address less than 60 s ago. An address gets at most 5
   * codes of one purpose in an hour, and at most 10 codes of all purposes in a day. A terminal can request codes for at
   * most 5 different addresses in an hour. A source address can request 20 codes in an hour. After such a refusal, a code
   * that was already sent stays valid. A malformed address gets InvalidRequest and nothing is sent. Without the policy
   * revealAccounts, the answer is the same whether or not the account exists. With this policy, the purpose `login` needs
   * a phone, or an e-mail that an account has verified. The purpose `resetPassword` needs an address with which an
   * account's password can be reset. Other addresses get ResourceNotFound. The outcome is published on
   * `app/{appId}/{terminalId}/code`.
   * @param {{purpose: "login"|"register"|"resetPassword"|"bind"|"operation"|"logoutTerminal"|0|1|2|10, countryCode?: string, region?: string, phone?: string, email?: string, account?: string}} params
   * @returns {Promise<{expiresIn: number, retryAfter: number, codeToken: string, requestId: string}>}
   */
  sendCode(params) { return this.ask("account/sendCode", params); }

  /**
   * Checks a code without using it up.
   *
   * No token is needed. Each check counts as a try. Tries with the codeToken and tries without it are counted
   * separately. After five tries of one kind, the code is void for further tries of that kind.
   * @param {{purpose: "login"|"register"|"resetPassword"|"bind"|"operation"|"logoutTerminal"|1|2|3, code: string, countryCode?: string, region?: string, phone?: string, email?: string, account?: string, codeToken?: string}} params
   * @returns {Promise<{valid: boolean}>}
   */
  checkCode(params) { return this.ask("account/checkCode", params); }

  /**
   * Creates a user and logs in.
   *
   * No token is needed. Give one or more of a phone, an e-mail address and a username. On a terminal whose session is
   * anonymous, the anonymous user becomes the registered user. The user keeps the uid, devices and data. A code must have
   * the purpose `register`. A ticket must be for an address in the request. If both a phone and an e-mail are given, the
   * code or ticket proves one of them. The other one is pending. A pending phone is verified by account/bindPhone. A
   * pending e-mail is verified by its link or by account/bindEmail. A pending address can't be used to log in. If another
   * account can already log in with the pending address, and the app reveals accounts, the request gets Duplicated. If
   * the app does not reveal accounts, the answer is the same as for a free address. A phone without an e-mail needs a
   * code or ticket. A phone without an e-mail gets PolicyRejected while the policy phoneRegistration is off. While the
   * policy emailRegistration is `code`, an e-mail needs a code or ticket. While the policy is `link` or `none`, an e-mail
   * needs neither. A phone that is given with the e-mail also needs neither, and is then pending. If no username is
   * given, a proved phone becomes the username. The request can also give the proved phone as the username, written in
   * any form that `phone` allows. A taken username gets Duplicated. A taken address gets Duplicated only if the code is
   * right. With `link` or `none`, a taken address gets Duplicated only if the app reveals accounts. Otherwise it gets the
   * same answer as a new address, and the address's owner gets an e-mail. Several accounts can then have the same
   * address, each with its own password. Of the accounts that have not verified the address, only the two oldest can log
   * in with it. As long as no account has verified the address, each registration sends a verification link to the
   * address. With `none`, the link is part of an e-mail that confirms the registration. When an account verifies an
   * address, the service removes the address from all other accounts that have not verified it.
   * @param {{password: string, countryCode?: string, region?: string, phone?: string, email?: string, username?: string, code?: string, codeToken?: string, ticket?: string, profile?: Profile, platform?: string, os?: string, name?: string}} params
   * @returns {Promise<{user: User, token: string, sessionId: string, expiresAt: number}>}
   */
  register(params) { return this.ask("account/register", params); }

  /**
   * Logs in by password or code.
   *
   * No token is needed. `account` can be a phone, an e-mail or a username. `code` must have the purpose `login`. A code
   * can be given with `phone`, with `email`, or with an `account` that is a phone or an e-mail. If the code is right and
   * the phone is unknown, a user is registered. This user has the phone as the username, a verified phone and no
   * password. If the terminal's session is anonymous, its anonymous user becomes the registered user. With `adopt`, a
   * login to an existing account takes over the anonymous user's devices. Without `adopt`, the answer says how many
   * devices the account could take over. If the user has requested the erasure of the account with account/cancel, a
   * login before the erasure withdraws the request. A wrong password and an unknown name both get InvalidCredentials. A
   * wrong code gets InvalidCode. With the policy revealAccounts an unknown name gets ResourceNotFound. After ten failed
   * logins for one name or from one terminal in 15 minutes, further passwords get TooManyRequests. A login with a correct
   * code still works. If the terminal already has a session, the login ends that session, with the reason `replaced`.
   * @param {{countryCode?: string, region?: string, phone?: string, email?: string, username?: string, account?: string, password?: string, adopt?: boolean, code?: string, codeToken?: string, platform?: string, os?: string, name?: string}} [params]
   * @returns {Promise<{user: User, token: string, sessionId: string, expiresAt: number, isNew: boolean, adopted?: number, adoptable?: number}>}
   */
  login(params = {}) { return this.ask("account/login", params); }

  /**
   * Logs in with the app's own user id. The first login registers the user.
   *
   * No token is needed. While the policy uidLogin is off, the request gets PolicyRejected. `uid` in the request is the
   * app's own id of the user (`externalUid`). `user.uid` in the answer is always the service's own id. The password in
   * the first request becomes the user's password. A wrong password in a later request gets InvalidCredentials.
   * `createHome` creates a home when the user is registered.
   * @param {{uid: string, password: string, countryCode?: string, region?: string, adopt?: boolean, createHome?: boolean, platform?: string, os?: string, name?: string}} params
   * @returns {Promise<{user: User, token: string, sessionId: string, expiresAt: number, isNew: boolean, adopted?: number, adoptable?: number}>}
   */
  loginOrRegister(params) { return this.ask("account/loginOrRegister", params); }

  /**
   * Logs in with a credential of an external provider.
   *
   * No token is needed. Accounts are found by provider and subject, never by e-mail. If the service stores an address
   * from the provider, the address is unverified. A missing nickname or picture is taken from the provider, if the
   * provider returns one. The first login creates a user with a random username and no password (`isNew`). If the
   * terminal's session is anonymous, the first login creates no new user. Instead, the anonymous user becomes the
   * registered user. The name `auth2` is also accepted for the provider `apple`, because one SDK uses it.
   * @param {{provider: string, credential: Object<string, any>, countryCode?: string, region?: string, adopt?: boolean, profile?: Profile, platform?: string, os?: string, name?: string}} params
   * @returns {Promise<{user: User, token: string, sessionId: string, expiresAt: number, isNew: boolean, adopted?: number, adoptable?: number}>}
   */
  loginWithProvider(params) { return this.ask("account/loginWithProvider", params); }

  /**
   * Links an account at an external provider to the user.
   *
   * Linking turns an anonymous user into a user with an account. Duplicated: the provider's account belongs to another
   * user. If the account is already linked to this user, the method succeeds. A missing nickname or picture is taken from
   * the provider, if the provider returns one.
   * @param {{provider: string, credential: Object<string, any>}} params
   * @returns {Promise<Object<string, any>>}
   */
  linkProvider(params) { return this.ask("account/linkProvider", params); }

  /**
   * Removes the link to an account at an external provider.
   *
   * `credential` is optional and ignored. ResourceNotFound: the provider isn't linked. Forbidden: the provider is the
   * user's last way to log in.
   * @param {{provider: string, credential?: Object<string, any>}} params
   * @returns {Promise<Object<string, any>>}
   */
  unlinkProvider(params) { return this.ask("account/unlinkProvider", params); }

  /**
   * Lists the accounts at external providers that are linked to the user.
   *
   * There are no parameters.
   * @returns {Promise<{providers: Array<{provider: string, subject: string, linkedAt: number, accessToken?: string}>}>}
   */
  providers() { return this.ask("account/providers", {}); }

  /**
   * Returns the part of a user's data that other users can see.
   *
   * ResourceNotFound: the user does not exist, or belongs to another app or region.
   * @param {{uid: string}} params
   * @returns {Promise<{uid: string, nickname: string, avatarUrl?: string}>}
   */
  getUser(params) { return this.ask("account/getUser", params); }

  /**
   * Refuses every request, because users cannot be searched.
   *
   * Always Forbidden.
   * @returns {Promise<Object<string, any>>}
   */
  queryUsers() { return this.ask("account/queryUsers", {}); }

  /**
   * Changes the user's profile.
   *
   * Members that are absent or null stay unchanged. If another user has the `username`, the request gets Duplicated. If
   * the policy usernameChangeable is off, a user who already has a username gets PolicyRejected. A phone (with its
   * country code) or an e-mail that is given here must then be verified. Until the user has verified this address, it
   * can't be used to log in or to reset the password. A phone is verified by account/bindPhone. An e-mail is verified by
   * account/bindEmail, or by the link that is sent to it. Until then the address is shown as `pendingPhone` or
   * `pendingEmail`. If the account has no phone with which it can log in, `phone` also shows the pending phone. The same
   * applies to `email`. If the current address is given again, the pending address is dropped. With the policy
   * revealAccounts, another account's address gets Duplicated. Otherwise the address is accepted, and its owner gets a
   * message. If a request has both a username and an address, either both are accepted or neither is. If they are
   * accepted but another member is refused, the answer is a success with `profileError`. A request with only profile
   * fields is refused as a whole if one of these fields is bad.
   * @param {{username?: string, nickname?: string, tempUnit?: 1|2, timezone?: string, latitude?: number, longitude?: number, name?: string, gender?: "male"|"female"|"other"|"unknown", birthday?: string, address?: string, remark?: string, language?: string, custom?: Object<string, any>, countryCode?: string, phone?: string, email?: string}} [params]
   * @returns {Promise<{user: User, profileError?: ErrorBody}>}
   */
  updateProfile(params = {}) { return this.ask("account/updateProfile", params); }

  /**
   * Sets the user's picture.
   *
   * The picture's bytes must be a PNG or JPEG of at most 45 KiB. Anything else gets InvalidRequest (field params.data).
   * The value null removes the picture, even if the picture came from a provider.
   * @param {{data?: string}} [params]
   * @returns {Promise<{avatarUrl?: string}>}
   */
  setAvatar(params = {}) { return this.ask("account/setAvatar", params); }

  /**
   * Binds a phone number that the user has verified, and replaces the old one.
   *
   * `code` must have the purpose `bind`. A wrong code gets InvalidCode. A correct code gets Duplicated if another
   * account has verified the number. If another account has the same phone number but has not verified it, that account
   * loses the number. The old number and the user's other terminals are notified. For 24 hours a link sent to the old
   * number can undo the change. Undoing the change ends all sessions. It also removes everything with which an intruder
   * might log in. The account loses a password that was set after the change, and a username that is an unverified e-mail
   * address. It also loses an e-mail address or a provider's identity that was added after the change or within a day
   * before the change. A bad `profile` does not prevent the binding, and is reported as `profileError`.
   * @param {{phone: string, countryCode?: string, region?: string, code?: string, codeToken?: string, ticket?: string, profile?: Profile}} params
   * @returns {Promise<{user: User, profileError?: ErrorBody}>}
   */
  bindPhone(params) { return this.ask("account/bindPhone", params); }

  /**
   * Binds an e-mail address that the user has proved, and replaces the old one.
   *
   * `code` must have the purpose `bind`. A wrong code gets InvalidCode. A correct code gets Duplicated if another
   * account has verified the address. If another account has the same address without having verified it, that account
   * loses the address. The old address and the user's other terminals are notified. The old address gets a link, which
   * can undo the change for 24 hours. Undoing the change ends all sessions. It also removes everything with which an
   * intruder might log in. The account loses a password that was set after the change, and a username that is an
   * unverified e-mail address. It also loses a phone number or a provider's identity that was added after the change or
   * within a day before the change. A bad `profile` does not prevent the binding, and is reported as `profileError`.
   * @param {{email: string, countryCode?: string, region?: string, code?: string, codeToken?: string, ticket?: string, profile?: Profile}} params
   * @returns {Promise<{user: User, profileError?: ErrorBody}>}
   */
  bindEmail(params) { return this.ask("account/bindEmail", params); }

  /**
   * Sends a link that verifies the user's e-mail.
   *
   * The link is sent to `pendingEmail` if there is one, and otherwise to an unverified `email`. The link is valid for
   * 24 hours. A new link makes the old link invalid. ResourceNotFound: the user has no e-mail. PolicyRejected: the policy
   * emailVerification is off. If the e-mail is already verified, nothing is sent and the answer is a success. The limits
   * are the same as for sendCode.
   * @returns {Promise<Object<string, any>>}
   */
  requestEmailVerification() { return this.ask("account/requestEmailVerification", {}); }

  /**
   * Sets a new password.
   *
   * A wrong old password gets InvalidCredentials. An account without a password needs no old password. All other
   * sessions end with the reason passwordChanged. The caller's session continues with its token.
   * @param {{newPassword: string, oldPassword?: string}} params
   * @returns {Promise<Object<string, any>>}
   */
  changePassword(params) { return this.ask("account/changePassword", params); }

  /**
   * Checks the user's password.
   *
   * A wrong password counts as a failed login. If the account has no password, no password matches.
   * @param {{password: string}} params
   * @returns {Promise<{match: boolean}>}
   */
  checkPassword(params) { return this.ask("account/checkPassword", params); }

  /**
   * Sends a link to the page that sets a new password.
   *
   * No token is needed. The link is for the account that has verified the address. If no account has verified the
   * address, the link is for the account that registered with the address. If there is no such account either, the link
   * is for the account whose username is the address. If no account matches, the answer is a success as well. With the
   * policy revealAccounts, the answer is ResourceNotFound instead. The link is valid for 1 hour and works once. A new
   * link makes the old link invalid. If the account was registered with this address and never verified it, the link
   * verifies the address. Because other people may have added data before the verification, the account then loses its
   * phone number and its linked providers. If its username is an e-mail address other than the verified one, the account
   * loses the username, too. All other links that were sent for the account become invalid. When the new password is set,
   * all sessions end. The limits are the same as for sendCode.
   * @param {{email: string, countryCode?: string, region?: string}} params
   * @returns {Promise<Object<string, any>>}
   */
  requestPasswordReset(params) { return this.ask("account/requestPasswordReset", params); }

  /**
   * Sets a new password with a code.
   *
   * No token is needed. The code must have the purpose `resetPassword`. If the address has an account, `register` is
   * also accepted, because other clouds' SDKs send it. The request resets the password of the account that has verified
   * the phone or e-mail. If no account has verified it, the account is found in the same way as for requestPasswordReset.
   * If the account was registered with this e-mail address and never verified it, the request verifies the address. The
   * account then loses the same data as after requestPasswordReset. A wrong code and an unknown address both get
   * InvalidCode. With the policy revealAccounts, an unknown address gets ResourceNotFound. A weak password gets
   * PolicyRejected, and the code is not used up. All sessions end with the reason passwordReset.
   * @param {{code: string, newPassword: string, countryCode?: string, region?: string, phone?: string, email?: string, codeToken?: string}} params
   * @returns {Promise<Object<string, any>>}
   */
  resetPassword(params) { return this.ask("account/resetPassword", params); }

  /**
   * Turns an anonymous user into a registered user.
   *
   * The user keeps the uid, the devices, the data and the session. A phone needs a code with the purpose `register`, or
   * a ticket. Duplicated: the name or address is taken. Forbidden: the user isn't anonymous.
   * @param {{password: string, countryCode?: string, region?: string, username?: string, phone?: string, code?: string, codeToken?: string, ticket?: string}} params
   * @returns {Promise<{user: User}>}
   */
  convertAnonymous(params) { return this.ask("account/convertAnonymous", params); }

  /**
   * Exchanges a code for a ticket.
   *
   * The code must have the purpose `operation`. It can have been sent to any address. A session is needed, but it can
   * be anonymous. The ticket can be used once within 5 minutes. It is valid only from this terminal and only for the
   * code's address.
   * @param {{code: string, countryCode?: string, region?: string, phone?: string, email?: string, codeToken?: string}} params
   * @returns {Promise<{ticket: string, expiresIn: number}>}
   */
  verifyOperation(params) { return this.ask("account/verifyOperation", params); }

  /**
   * The service will erase the account in seven days.
   *
   * Give a password, a code or a ticket as proof. The code must have the purpose `operation`. It must have been sent to
   * a verified address of the account. No proof is needed while the app's policy cancelProof is off. An account without a
   * password and without a verified address also needs no proof. Every address of the account is notified. All sessions
   * end with the reason accountCancelled. A login before `deletesAt` undoes the cancellation. At `deletesAt` all the
   * user's data is erased.
   * @param {{password?: string, code?: string, codeToken?: string, ticket?: string}} [params]
   * @returns {Promise<{deletesAt: number}>}
   */
  cancel(params = {}) { return this.ask("account/cancel", params); }
}

/** Describes the app to a terminal without a session. */
export class App {
  /** @param {Ask} ask */
  constructor(ask) { this.ask = ask; }

  /**
   * Returns the app's features on this service, before a login.
   *
   * No token and no session are needed.
   * @returns {Promise<{name: string, policies: {revealAccounts: boolean, emailRegistration: "code"|"link"|"none", emailVerification: boolean, phoneRegistration: boolean, uidLogin: boolean, usernameChangeable: boolean, anonymous: "keep"|"discard", defaultCountryCode?: string}, providers: Array<string>, push: {kinds: Array<"fcm"|"apns"|"webpush"|"gateway">, vapidKey: string}, regions: Array<{region: string, countryCodes: Array<string>, isDefault: boolean, isServed: boolean, endpoint?: string}>, passwordMinLength: number, sessionDays: number}>}
   */
  info() { return this.ask("app/info", {}); }
}

/** Binds devices to users, sends commands, and reads devices' status, history and users (reference: commands#life). */
export class Device {
  /** @param {Ask} ask */
  constructor(ask) { this.ask = ask; }

  /**
   * Binds a device by its passcode.
   *
   * Give either `did`, or `productKey` and `mac`. In 15 minutes, one user can make 5 wrong tries for one device. One
   * terminal can make 10 wrong tries for all devices together. All users together can make 50 wrong tries for one device.
   * Once one of these limits is reached, even the right passcode gets TooManyRequests. The right `claim` is accepted even
   * if other users have used up the 50 tries. A try for an unknown device counts only towards this user's limit for the
   * given `did` or MAC. A user who is already bound also needs the right passcode. Forbidden: the device has an owner or
   * 10,000 users, or the caller has 1,000 devices.
   * @param {{passcode: string, did?: string, productKey?: string, mac?: string, claim?: string}} params
   * @returns {Promise<{did: string}>}
   */
  bind(params) { return this.ask("device/bind", params); }

  /**
   * Unbinds the caller from a device.
   *
   * The device from which the caller unbinds. NotBound: the caller is not bound to the device.
   * @param {{did: string}} params
   * @returns {Promise<Object<string, any>>}
   */
  unbind(params) { return this.ask("device/unbind", params); }

  /**
   * Lists the user's devices.
   *
   * By default, `offset` is 0 and `limit` is 100.
   * @param {{productKeys?: Array<string>, offset?: number, cursor?: string, limit?: number}} [params]
   * @returns {Promise<{devices: Array<Device>, total: number, cursor?: string}>}
   */
  list(params = {}) { return this.ask("device/list", params); }

  /**
   * Turns status messages about a device on or off for the caller.
   *
   * A request with the current value succeeds. A request with the value true publishes the latest status again.
   * @param {{did: string, subscribed: boolean}} params
   * @returns {Promise<Object<string, any>>}
   */
  subscribe(params) { return this.ask("device/subscribe", params); }

  /**
   * Returns the stored status of a device.
   *
   * The caller must be bound to the device, and must not have unsubscribed from it.
   * @param {{did: string}} params
   * @returns {Promise<{did: string, sn: 0, version: number, ts: number, online: boolean, data: Object<string, any>, changed: Array<string>, alerts: Array<string>, faults: Array<string>}>}
   */
  status(params) { return this.ask("device/status", params); }

  /**
   * Sends a command to a device.
   *
   * Give either `data` or `binary`. The service first checks the request's form. Then it checks the binding (NotBound),
   * the subscription (NotSubscribed) and the caller's access (Forbidden). Next, the data must fit the writable data
   * points (InvalidRequest, field params.data.NAME). Last, the device must be online (DeviceOffline).
   * @param {{did: string, data?: Object<string, any>|any, binary?: string, sn?: number, mode?: "now"|"queue", ttl?: number, wait?: boolean}} params
   * @returns {Promise<{cid: number, sn: number, state: "queued"|"sent"|"done"|"failed"|"expired"|"superseded", code?: number|"InvalidRequest"|"InvalidToken"|"InvalidCredentials"|"InvalidCode"|"Forbidden"|"ResourceNotFound"|"Duplicated"|"TooManyRequests"|"RegionNotServed"|"DeviceOffline"|"DeviceTimeout"|"NotBound"|"NotSubscribed"|"NotListed"|"Expired"|"PolicyRejected"|"Unavailable"|"Internal", data?: Object<string, any>}>}
   */
  control(params) { return this.ask("device/control", params); }

  /**
   * Asks a device to report now.
   *
   * The service asks the device to report now. Once the device has answered, the service answers with the status. The
   * errors are NotBound, NotSubscribed, DeviceOffline (not connected) and DeviceTimeout (no answer within `timeout`). The
   * device receives a command of type query. A guest with the access `read` can also use this method.
   * @param {{did: string, timeout?: number}} params
   * @returns {Promise<{did: string, sn: 0, version: number, ts: number, online: boolean, data: Object<string, any>, changed: Array<string>, alerts: Array<string>, faults: Array<string>}>}
   */
  query(params) { return this.ask("device/query", params); }

  /**
   * Returns a page of a device's reports, or aggregated values from the reports.
   *
   * The oldest record comes first. Records with the same time are in the order of their arrival. The history contains
   * only records of the device's current ownership period. No record is older than the product's historyDays (30 by
   * default). Earlier records are left out, without an error. The first ownership period has no beginning, so it also
   * includes records with times before the device's registration. With `every`, time is divided into steps, and each row
   * summarises the values of one step. Steps of minutes and hours (15m, 6h) have a fixed length. They are counted from
   * the epoch in UTC. Steps of days, weeks (from Monday) and months begin at midnight in the zone `timezone`. Days have
   * 23 or 25 hours when the zone's clocks change. A record is used if its time is at or after `from` and before `to`. If
   * `from` or `to` lies within a step, only the step's records in this period are used. Steps without values are left
   * out. `avg, min, max, sum` use only numbers. InvalidRequest: `fn` without `every`, an unknown zone, or a step with
   * more than 5,000,000 records.
   * @param {{did: string, from: number, to: number, attr?: string, limit?: number, cursor?: string, every?: string, fn?: "avg"|"min"|"max"|"sum"|"count"|"first"|"last", timezone?: string}} params
   * @returns {Promise<{rows: Array<{ts: number, data: Object<string, any>, binary?: string}|{ts: number, value: any}>, cursor?: string}>}
   */
  history(params) { return this.ask("device/history", params); }

  /**
   * Returns a page of a device's alerts, faults and changes of presence.
   *
   * Returns the log of alerts, faults, changes of presence, and runs of schedules. The log also contains a notice if
   * the device wrote more history in a day than the service keeps. The newest entries come first. The log reaches back as
   * far as the records of device/history. Without `from` and `to`, the whole log is returned.
   * @param {{did: string, from?: number, to?: number, types?: Array<"alert"|"alertCleared"|"fault"|"faultCleared"|"online"|"offline"|"scheduleRun"|"historyLimited">, limit?: number, cursor?: string}} params
   * @returns {Promise<{events: Array<{did?: string, eventId: string, ts: number, actor: Actor, type: "alert"|"fault", name: string, value: any}|{did?: string, eventId: string, ts: number, actor: Actor, type: "alertCleared"|"faultCleared", name: string, value: false}|{did?: string, eventId?: string, ts: number, actor?: Actor, type: "online"}|{did?: string, eventId?: string, ts: number, actor?: Actor, type: "offline", reason?: "closed"|"lost"|"kicked"|"takenOver"}|{did?: string, eventId: string, ts: number, actor: {kind: "user"|"device"|"schedule"|"service"|"operator"|"system", id: string, terminalId?: string}, type: "scheduleRun", name: string, value: {state: "done"|"failed"|"expired"|"missed", dueAt: number, cid?: number}, reason?: "InvalidRequest"|"InvalidToken"|"InvalidCredentials"|"InvalidCode"|"Forbidden"|"ResourceNotFound"|"Duplicated"|"TooManyRequests"|"RegionNotServed"|"DeviceOffline"|"DeviceTimeout"|"NotBound"|"NotSubscribed"|"NotListed"|"Expired"|"PolicyRejected"|"Unavailable"|"Internal"}|{did?: string, eventId: string, ts: number, actor: {kind: "user"|"device"|"schedule"|"service"|"operator"|"system", id: string, terminalId?: string}, type: "historyLimited", value: {megabytesPerDay: number, resumesAt: number}}>, cursor?: string}>}
   */
  events(params) { return this.ask("device/events", params); }

  /**
   * Returns a page of a device's commands.
   *
   * Returns the log of commands, sorted by the time of their creation, the newest first. The log reaches back as far as
   * the records of device/history.
   * @param {{did: string, from?: number, to?: number, types?: Array<"write"|"query">, limit?: number, cursor?: string}} params
   * @returns {Promise<{commands: Array<{cid: number, sn: number, type: "write"|"query", mode: "now"|"queue", state: "queued"|"sent"|"done"|"failed"|"expired"|"superseded", code?: number|"InvalidRequest"|"InvalidToken"|"InvalidCredentials"|"InvalidCode"|"Forbidden"|"ResourceNotFound"|"Duplicated"|"TooManyRequests"|"RegionNotServed"|"DeviceOffline"|"DeviceTimeout"|"NotBound"|"NotSubscribed"|"NotListed"|"Expired"|"PolicyRejected"|"Unavailable"|"Internal", data: Object<string, any>, binary?: string, result?: Object<string, any>, actor: Actor, createdAt: number, expiresAt: number, doneAt?: number, late?: true, steps: Array<{state: "queued"|"sent"|"done"|"failed"|"expired"|"superseded", ts: number, actor: Actor}>}>, cursor?: string}>}
   */
  commands(params) { return this.ask("device/commands", params); }

  /**
   * Binds a device that is not on the LAN, with the text of its label or the product's secret.
   *
   * This method is for a device that is not on the LAN. Give either `claim` or `productSecret`. `claim` is the whole
   * text of the device's printed label. `productSecret` is accepted only if the product's `remoteBind` is `secret` and no
   * other user is bound. The device is created if it has not registered yet. Its first registration then needs no
   * oldSecret and sets the passcode. NotListed: the product's `registration` is `listed`, and the MAC is not on its list.
   * A wrong claim or secret, an unknown device and a product of another app get InvalidCredentials. All these failed
   * tries count together with the wrong passcodes of device/bind. In 15 minutes, one user can make 5 wrong tries for one
   * device. One terminal can make 10 wrong tries for all devices together. All users together can make 50 wrong tries for
   * one device. Beyond these limits the request gets TooManyRequests. The limit of 50 tries does not apply to requests
   * with the right `claim`. Forbidden: the device has an owner or 10,000 users, or the caller has 1,000 devices. Only
   * requests with the right claim or secret get Forbidden. If the caller is already bound, the request succeeds and
   * changes nothing.
   * @param {{productKey: string, mac: string, claim?: string, productSecret?: string}} params
   * @returns {Promise<{did: string}>}
   */
  bindRemote(params) { return this.ask("device/bindRemote", params); }

  /**
   * Sets the caller's own name and note for a device.
   *
   * Sets the caller's own name and note for the device. No other user sees them. A name or note that is absent or null
   * stays unchanged. An empty string clears it. A change is pushed to the caller's terminals (`changed`).
   * @param {{did: string, alias?: string, remark?: string}} params
   * @returns {Promise<Object<string, any>>}
   */
  setCustomInfo(params) { return this.ask("device/setCustomInfo", params); }

  /**
   * Returns the hardware and firmware versions of a device.
   *
   * Returns the data that the device sent about itself, at its registration and later. All bound users may read it,
   * even without a subscription.
   * @param {{did: string}} params
   * @returns {Promise<{hardware: Hardware}>}
   */
  hardware(params) { return this.ask("device/hardware", params); }

  /**
   * Lists the users who are bound to a device.
   *
   * Only the special user and the owner may list the users. Others get Forbidden. The oldest binding comes first.
   * Bindings that were made at the same time are in the order of the uid.
   * @param {{did: string, limit?: number, cursor?: string}} params
   * @returns {Promise<{users: Array<{uid: string, nickname: string, address?: string, username?: string, role: "special"|"normal"|"owner"|"guest", access: "control"|"read", boundAt: number, guestUntil?: number}>, cursor?: string}>}
   */
  users(params) { return this.ask("device/users", params); }

  /**
   * Removes a guest from a device.
   *
   * The owner removes a guest from the device. Forbidden: the caller is not the owner. InvalidRequest: the uid is the
   * owner's own. An owner must use device/unbind instead. ResourceNotFound: the user is not bound. The guest is notified
   * (message `unbound` with the reason `removed`). The guest's retained status is cleared, and the guest's invitation is
   * revoked.
   * @param {{did: string, uid: string}} params
   * @returns {Promise<Object<string, any>>}
   */
  removeUser(params) { return this.ask("device/removeUser", params); }

  /**
   * Lets a device be reset to its factory state.
   *
   * The special user or the owner allows the device to be reset. One registration without the old secret then succeeds
   * within 15 minutes. This registration counts as a factory reset. Other users get Forbidden. If the product's `reset`
   * is `operator`, all users get Forbidden. The permission is void if the user who gave it unbinds the device.
   * @param {{did: string}} params
   * @returns {Promise<{expiresAt: number}>}
   */
  allowReset(params) { return this.ask("device/allowReset", params); }
}

/** Lets servers with an API key read the event log and manage subscriptions (reference: events). */
export class Events {
  /** @param {Ask} ask */
  constructor(ask) { this.ask = ask; }

  /**
   * Returns entries of the event log, or waits for the next one.
   *
   * Only for API keys with the scope events; users get Forbidden. Without `types`, entries of all types except
   * device.status are returned. InvalidRequest: an unknown type or product, or a string that is not a cursor.
   * TooManyRequests: too many readers with this key are waiting (limits.eventReadersPerKey). ResourceNotFound: the app
   * has no such subscription.
   * @param {{after?: string, subscriptionId?: string, types?: Array<string>, productKeys?: Array<string>, dids?: Array<string>, limit?: number, wait?: number}} [params]
   * @returns {Promise<{events: Array<LoggedEvent>, cursor: string, more: boolean}>}
   */
  read(params = {}) { return this.ask("events/read", params); }

  /**
   * Makes a subscription: a cursor that the service stores, or a webhook.
   *
   * Only for API keys with the scope events; users get Forbidden. Forbidden: the app already has 20 subscriptions.
   * InvalidRequest: a type or a product that doesn't exist, or an address that is not allowed.
   * @param {{name: string, types: Array<string>, productKeys?: Array<string>, dids?: Array<string>, url?: string, batch?: number, from?: string}} params
   * @returns {Promise<{subscriptionId: string, secret?: string}>}
   */
  subscribe(params) { return this.ask("events/subscribe", params); }

  /**
   * Moves a subscription's cursor forward.
   *
   * Only for API keys with the scope events; users get Forbidden. ResourceNotFound: the app has no such subscription.
   * @param {{subscriptionId: string, cursor: string}} params
   * @returns {Promise<Object<string, any>>}
   */
  ack(params) { return this.ask("events/ack", params); }

  /**
   * Changes a subscription. If its cursor is moved back, the events after the new position are sent again.
   *
   * Only for API keys with the scope events; users get Forbidden. ResourceNotFound: the app has no such subscription.
   * InvalidRequest: url is given for a subscription without a webhook.
   * @param {{subscriptionId: string, types?: Array<string>, url?: string, batch?: number, state?: "on"|"paused", cursor?: string|number}} params
   * @returns {Promise<Object<string, any>>}
   */
  update(params) { return this.ask("events/update", params); }

  /**
   * Lists the app's subscriptions.
   *
   * Only for API keys with the scope events; users get Forbidden.
   * @returns {Promise<{subscriptions: Array<{subscriptionId: string, name: string, types: Array<string>, productKeys?: Array<string>, dids?: Array<string>, url?: string, batch: number, state: "on"|"paused"|"disabled", reason?: string, cursor: string, behind: number, tries: number, failingSince?: number, lastOkAt?: number, lastError?: string}>}>}
   */
  subscriptions() { return this.ask("events/subscriptions", {}); }

  /**
   * Gives a webhook a new secret. For 24 hours, batches are signed with both secrets.
   *
   * Only for API keys with the scope events; users get Forbidden. InvalidRequest: the subscription has no webhook.
   * ResourceNotFound: the app has no such subscription.
   * @param {{subscriptionId: string}} params
   * @returns {Promise<{secret: string}>}
   */
  rotate(params) { return this.ask("events/rotate", params); }

  /**
   * Removes a subscription; after that, no new delivery begins.
   *
   * Only for API keys with the scope events; users get Forbidden. ResourceNotFound: the app has no such subscription.
   * @param {{subscriptionId: string}} params
   * @returns {Promise<Object<string, any>>}
   */
  unsubscribe(params) { return this.ask("events/unsubscribe", params); }

  /**
   * Lists the last 200 attempts to deliver events to a webhook, newest first.
   *
   * Only for API keys with the scope events; users get Forbidden. ResourceNotFound: the app has no such subscription.
   * @param {{subscriptionId: string}} params
   * @returns {Promise<{deliveries: Array<{at: number, webhookId: string, events: number, status?: number, ms: number, error?: string}>}>}
   */
  deliveries(params) { return this.ask("events/deliveries", params); }
}

/** Groups a user's devices by home (reference: sharing#roles). */
export class Home {
  /** @param {Ask} ask */
  constructor(ask) { this.ask = ask; }

  /**
   * Lists the caller's homes.
   *
   * Lists all of the caller's homes. If an answer does not contain all homes, request the rest with `cursor` or
   * `offset`.
   * @param {{offset?: number, cursor?: string}} [params]
   * @returns {Promise<{homes: Array<{homeId: string, name: string, latitude?: number, longitude?: number, dids: Array<string>}>, cursor?: string}>}
   */
  list(params = {}) { return this.ask("home/list", params); }

  /**
   * Creates a home.
   *
   * Creates a home. Forbidden: the user already has 100 homes (setting limits.homesPerUser).
   * @param {{name: string, latitude?: number, longitude?: number}} params
   * @returns {Promise<{homeId: string}>}
   */
  create(params) { return this.ask("home/create", params); }

  /**
   * Renames a home.
   *
   * Changes the name of one of the caller's homes. If a place is given, the home's place changes too. ResourceNotFound:
   * the caller has no such home.
   * @param {{homeId: string, name: string, latitude?: number, longitude?: number}} params
   * @returns {Promise<Object<string, any>>}
   */
  rename(params) { return this.ask("home/rename", params); }

  /**
   * Deletes a home.
   *
   * Deletes one of the caller's homes. The home's devices stay bound, but are then in no home. The caller's terminals
   * are notified (`changed`).
   * @param {{homeId: string}} params
   * @returns {Promise<Object<string, any>>}
   */
  delete(params) { return this.ask("home/delete", params); }

  /**
   * Adds a device to a home.
   *
   * Puts a device into one of the caller's homes, and removes it from its previous home. NotBound: the caller is not
   * bound to the device. ResourceNotFound: the caller has no such home. The caller's terminals are notified (`changed`).
   * Unbinding removes the device from its home.
   * @param {{homeId: string, did: string}} params
   * @returns {Promise<Object<string, any>>}
   */
  addDevice(params) { return this.ask("home/addDevice", params); }

  /**
   * Removes a device from a home.
   *
   * Removes a device from one of the caller's homes. The device stays bound. ResourceNotFound: the caller has no such
   * home, or the device is not in it.
   * @param {{homeId: string, did: string}} params
   * @returns {Promise<Object<string, any>>}
   */
  removeDevice(params) { return this.ask("home/removeDevice", params); }
}

/** Lists and explains notifications of events, and pushes them to terminals (reference: notifications). */
export class Notification {
  /** @param {Ask} ask */
  constructor(ask) { this.ask = ask; }

  /**
   * Lists the user's notifications.
   *
   * The newest notifications come first. `kind`, `did` and `unread` restrict which notifications are listed.
   * @param {{kind?: "device"|"home"|"system", unread?: boolean, did?: string, limit?: number, cursor?: string}} [params]
   * @returns {Promise<{notifications: Array<Notification>, unread: Unread, cursor?: string}>}
   */
  list(params = {}) { return this.ask("notification/list", params); }

  /**
   * Marks notifications as read, on all terminals of the user.
   *
   * ResourceNotFound: one of the notifications doesn't exist or belongs to another user. In that case, no notification
   * is marked.
   * @param {{notificationIds?: Array<string>, all?: true, kind?: "device"|"home"|"system"}} [params]
   * @returns {Promise<{unread: Unread}>}
   */
  markRead(params = {}) { return this.ask("notification/markRead", params); }

  /**
   * Deletes notifications, on all terminals of the user.
   *
   * ResourceNotFound: one of the notifications doesn't exist or belongs to another user. In that case, no notification
   * is deleted.
   * @param {{notificationIds?: Array<string>, all?: true, kind?: "device"|"home"|"system"}} [params]
   * @returns {Promise<{unread: Unread}>}
   */
  delete(params = {}) { return this.ask("notification/delete", params); }

  /**
   * Returns or changes the user's settings for notifications.
   *
   * Absent fields stay unchanged. Without fields, the method only returns the settings. InvalidRequest: the system
   * doesn't know the time zone.
   * @param {{device?: boolean, home?: boolean, system?: boolean, dids?: Object<string, any>, offlineMinutes?: number, quiet?: QuietHours|null}} [params]
   * @returns {Promise<{device: boolean, home: boolean, system: boolean, dids: Object<string, any>, offlineMinutes: number, quiet?: QuietHours}>}
   */
  settings(params = {}) { return this.ask("notification/settings", params); }

  /**
   * Sets the address at which a push service reaches this terminal.
   *
   * A terminal has one address. A new address replaces the old one, and null removes it. Without `push`, the method
   * only returns the stored address. If two terminals set the same address, only the one that set it last keeps it. The
   * end of the session removes the address. An API key gets Forbidden. InvalidRequest with field params.push.address: the
   * service is not allowed to connect to this Web Push address.
   * @param {{push?: PushAddress|null}} [params]
   * @returns {Promise<{push?: PushState}>}
   */
  setPush(params = {}) { return this.ask("notification/setPush", params); }

  /**
   * Sends a test notification to this terminal.
   *
   * The test is not listed in the message centre. An API key gets Forbidden. TooManyRequests: the terminal has received
   * 60 pushes in an hour.
   * @returns {Promise<{state: "sent"|"failed"|"noAddress"|"notConfigured", error?: string}>}
   */
  test() { return this.ask("notification/test", {}); }

  /**
   * Explains why the user was, or was not, notified of events.
   *
   * Returns the decisions that the service made at the time of the events: whether to notify the user, and why. Later
   * changes to the settings don't change these decisions. The newest event comes first. The reasons why the user was not
   * notified are kept for 7 days. An event has no row if events of this type don't notify anyone, or if they notify only
   * other users (reference: notifications#events). If the user deleted a notification, its event has no row. NotBound:
   * the user isn't bound to the device.
   * @param {{did?: string, from?: number, to?: number, limit?: number}} [params]
   * @returns {Promise<{reasons: Array<Reason>}>}
   */
  explain(params = {}) { return this.ask("notification/explain", params); }

  /**
   * Lets the maker's server notify users.
   *
   * Only API keys with the scope notification may use this method. Users get Forbidden. With `did`, all users of the
   * app who are bound to the device are notified. ResourceNotFound: the app has no such user or device.
   * @param {{title: string, text: string, uid?: string, did?: string, kind?: "device"|"home"|"system", data?: Object<string, any>}} params
   * @returns {Promise<{notifications: number}>}
   */
  send(params) { return this.ask("notification/send", params); }
}

/** Creates, changes and lists schedules, which command a device at set times (reference: schedules#when). */
export class Schedule {
  /** @param {Ask} ask */
  constructor(ask) { this.ask = ask; }

  /**
   * Creates a schedule that commands a device at set times.
   *
   * If date, weekDays and monthDays are all absent, the schedule runs once, when its time of day next comes. The caller
   * must be able to control the device. Otherwise the request gets NotBound or NotSubscribed. A user who can only watch
   * gets Forbidden. The order of the checks is: form, binding, subscription, access, attrs, number of schedules, zone,
   * place, times. attrs must fit the writable data points (field params.attrs.NAME). The device must have fewer than 100
   * schedules (Forbidden, field params.did).
   * @param {{did: string, time: string, attrs: Object<string, any>|any, date?: string, weekDays?: Array<number>, monthDays?: Array<number>, timezone?: string, remark?: string, enabled?: boolean, misfire?: "skip"|"run"}} params
   * @returns {Promise<{schedule: Schedule, schedules: Array<Schedule>, cursor?: string, ignored?: Array<"date"|"monthDays">}>}
   */
  create(params) { return this.ask("schedule/create", params); }

  /**
   * Lists the schedules of one device or of all devices.
   *
   * With did, the schedules of one device are listed. Without did, the schedules of all the caller's devices are
   * listed. NotBound: the device isn't bound to the caller.
   * @param {{did?: string, limit?: number, cursor?: string}} [params]
   * @returns {Promise<{schedules: Array<Schedule>, cursor?: string}>}
   */
  list(params = {}) { return this.ask("schedule/list", params); }

  /**
   * Changes a schedule.
   *
   * Members that are absent or null stay unchanged. If date, weekDays or monthDays is given, this member sets the kind
   * of schedule. The other two members are then cleared. If the request contains more than one of these three members,
   * weekDays takes precedence over monthDays, and monthDays over date. A disabled schedule stays disabled unless
   * `enabled` is true. Only the schedule's creator, the special user and the owner may use this method. Requests from
   * other users or with an unknown id get ResourceNotFound. To change attrs, the caller must be able to control the
   * device (otherwise NotSubscribed or Forbidden). The schedule still acts with its creator's rights.
   * @param {{scheduleId: string, date?: string, time?: string, weekDays?: Array<number>, monthDays?: Array<number>, timezone?: string, attrs?: Object<string, any>|any, remark?: string, enabled?: boolean, misfire?: "skip"|"run"}} params
   * @returns {Promise<{schedule: Schedule, schedules: Array<Schedule>, cursor?: string, ignored?: Array<"date"|"monthDays">}>}
   */
  update(params) { return this.ask("schedule/update", params); }

  /**
   * Deletes a schedule.
   *
   * The schedule's runs are deleted too. Only the schedule's creator, the special user and the owner may use this
   * method. Requests from other users or with an unknown id get ResourceNotFound.
   * @param {{scheduleId: string}} params
   * @returns {Promise<{schedules: Array<Schedule>, cursor?: string}>}
   */
  delete(params) { return this.ask("schedule/delete", params); }

  /**
   * Enables a schedule.
   *
   * The schedule is enabled from now on. InvalidRequest, field params.scheduleId: the schedule is one-time and its time
   * has passed. Only the schedule's creator, the special user and the owner may use this method. Requests from other
   * users or with an unknown id get ResourceNotFound.
   * @param {{scheduleId: string}} params
   * @returns {Promise<{schedules: Array<Schedule>, cursor?: string}>}
   */
  enable(params) { return this.ask("schedule/enable", params); }

  /**
   * Disables a schedule.
   *
   * A disabled schedule's occurrences are skipped. A trigger is a message that starts an occurrence. If a trigger still
   * arrives for a disabled schedule, the trigger becomes a dead letter. Only the schedule's creator, the special user and
   * the owner may use this method. Requests from other users or with an unknown id get ResourceNotFound.
   * @param {{scheduleId: string}} params
   * @returns {Promise<{schedules: Array<Schedule>, cursor?: string}>}
   */
  disable(params) { return this.ask("schedule/disable", params); }

  /**
   * Lists the runs of a schedule and their results.
   *
   * Every user who is bound to the device may list the runs. Requests from other users or with an unknown id get
   * ResourceNotFound. The runs of a schedule are kept for 90 days by default.
   * @param {{scheduleId: string, limit?: number, cursor?: string}} params
   * @returns {Promise<{runs: Array<{dueAt: number, firedAt: number, state: "done"|"failed"|"expired"|"missed", cid?: number, code?: number, error?: {code: "InvalidRequest"|"InvalidToken"|"InvalidCredentials"|"InvalidCode"|"Forbidden"|"ResourceNotFound"|"Duplicated"|"TooManyRequests"|"RegionNotServed"|"DeviceOffline"|"DeviceTimeout"|"NotBound"|"NotSubscribed"|"NotListed"|"Expired"|"PolicyRejected"|"Unavailable"|"Internal", message: string, field?: string, reason?: string, retryAfter?: number, region?: string, endpoint?: string}}>, cursor?: string}>}
   */
  runs(params) { return this.ask("schedule/runs", params); }
}

/** Lists, refreshes and ends the sessions of a user (reference: sessions#life). */
export class Session {
  /** @param {Ask} ask */
  constructor(ask) { this.ask = ask; }

  /**
   * Lists the terminals on which the user is logged in.
   *
   * There are no parameters.
   * @returns {Promise<{sessions: Array<{sessionId: string, terminalId: string, platform: string, os: string, name: string, loginTime: number, lastSeenAt: number, push?: PushState, current: boolean, clientId?: string, scopes?: Array<string>}>}>}
   */
  list() { return this.ask("session/list", {}); }

  /**
   * Returns the code that is needed to end sessions of other terminals.
   *
   * `userName` is the user's own verified e-mail or phone. The phone may have any form (E.164, 86-13800138000, or
   * without country code). Another user's address is refused like a wrong code or password. `authCode` is a code with the
   * purpose logoutTerminal. A password is accepted only with accountType phone. InvalidRequest: both a code and a
   * password are given. `ifencrypt` 1 is accepted with a password and refused with `authCode`. `ifencrypt` has no other
   * effect: TLS encrypts the request, and the password is sent unchanged.
   * @param {{userName: string, accountType: "email"|"phone", verifyType: "authCode"|"password", countryCode?: string, region?: string, authCode?: string, codeToken?: string, password?: string, ifencrypt?: 0|1}} params
   * @returns {Promise<{logoutCode: string, expiresIn: number}>}
   */
  logoutCode(params) { return this.ask("session/logoutCode", params); }

  /**
   * Ends the session of another terminal of the user.
   *
   * InvalidCode: the code is wrong, has expired, or was used before. ResourceNotFound: the user isn't logged in on the
   * terminal. The code then stays valid. InvalidRequest: the terminal is the caller's own; use account/logout instead.
   * @param {{terminalId: string, logoutCode: string}} params
   * @returns {Promise<{terminated: string}>}
   */
  terminate(params) { return this.ask("session/terminate", params); }

  /**
   * Ends the sessions of all other terminals of the user.
   *
   * InvalidCode: the code is wrong, old or used. If there are no other terminals, the result is 0 and the code is used
   * up.
   * @param {{logoutCode: string}} params
   * @returns {Promise<{terminated: number}>}
   */
  terminateOthers(params) { return this.ask("session/terminateOthers", params); }

  /**
   * Ends the session of a linked service, such as a voice assistant or a Home Assistant. No logout code is needed.
   *
   * ResourceNotFound: the user has no linked service with this session.
   * @param {{sessionId: string}} params
   * @returns {Promise<Object<string, any>>}
   */
  unlink(params) { return this.ask("session/unlink", params); }

  /**
   * Renews the session with a new token and, by default, seven more days.
   *
   * The old token works for 60 s at most. It stops when the new token is first used. The first use is a request or a
   * CONNECT with the new token. The gate reports a CONNECT to the service on system/token-used. A refresh with the old
   * token and a new `id` gets InvalidToken. While the old token works, a repeat of the same request gets the same answer.
   * @returns {Promise<{token: string, expiresAt: number}>}
   */
  refresh() { return this.ask("session/refresh", {}); }

  /**
   * Begins a session for the user's Home Assistant (reference: home-assistant#links).
   *
   * Forbidden: the user already has the maximum number of links (limits.homeAssistantsPerUser).
   * @param {{kind: "homeAssistant", name?: string}} params
   * @returns {Promise<{sessionId: string, username: string, password: string, host: string, port: number, tls: boolean, bridge: string}>}
   */
  link(params) { return this.ask("session/link", params); }
}

/** Invites users to a device and transfers devices (reference: sharing#invitations). */
export class Share {
  /** @param {Ask} ask */
  constructor(ask) { this.ask = ask; }

  /**
   * Invites a user to a device.
   *
   * Only the special user and the owner may invite. Other users of the device get Forbidden. Users who are not bound to
   * the device get NotBound. No role changes before an invitation is accepted. When the first invitation is accepted, the
   * special user becomes the owner. Normal users become guests. If an invitation is rejected or revoked, or expires,
   * nothing changes. With way `user`, `guest` is required. If the policy emailVerification is on, a phone or e-mail in
   * `guest` counts as unknown until its user has verified it. If the app's policy revealAccounts is on, an unknown name
   * gets ResourceNotFound, field params.guest.value. If this policy is off, the service never reveals that a name is
   * unknown. The request gets the usual answer, and the invitation expires like any other. InvalidRequest: the name is
   * the caller's own. Duplicated: the named user is bound to the device, or an invitation to the same name is pending or
   * was accepted. With way `qrcode`, `guest` must be absent. The first user to scan the code answers the invitation.
   * TooManyRequests: the user has made 200 invitations in an hour (setting limits.invitationsPerHour). Forbidden: the
   * device has 200 pending invitations.
   * @param {{did: string, way: "user"|"qrcode", guest?: {type: "phone"|"email"|"username"|"uid"|"anonymous", value: string, countryCode?: string}, access?: "control"|"read", guestMinutes?: number}} params
   * @returns {Promise<{sharingId: string, expiresAt: number, qrCode?: {text: string, svg: string, png: string}}>}
   */
  invite(params) { return this.ask("share/invite", params); }

  /**
   * Lists the invitations that the caller has received or made.
   *
   * `toMe`: invitations that name the caller, and QR code invitations that the caller has answered. `byMe`: invitations
   * that the caller made. The newest invitations come first. Ended invitations are shown for 30 days (setting
   * limits.invitationDays).
   * @param {{type: "toMe"|"byMe", did?: string, limit?: number, cursor?: string}} params
   * @returns {Promise<{sharings: Array<Sharing>, cursor?: string}>}
   */
  list(params) { return this.ask("share/list", params); }

  /**
   * Shows an invitation before it is answered.
   *
   * Only the user who can answer the invitation may preview it. The refusals are the same as for share/answer. The
   * preview changes nothing, and the invitation stays pending. TooManyRequests: the terminal has had 30 previews in an
   * hour (setting limits.previewsPerTerminal).
   * @param {{sharingId?: string, qrText?: string}} [params]
   * @returns {Promise<{sharingId: string, did: string, productName?: string, alias?: string, way: "user"|"qrcode", access: "control"|"read", guestMinutes?: number, status: "pending"|"accepted"|"rejected"|"expired"|"revoked", createdAt: number, expiresAt: number, updatedAt: number, acceptedAt?: number, inviter: {uid?: string, nickname?: string, username?: string, phone?: string, email?: string, type?: "phone"|"email"|"username"|"uid"|"anonymous", value?: string}, guest: {uid?: string, nickname?: string, username?: string, phone?: string, email?: string, type?: "phone"|"email"|"username"|"uid"|"anonymous", value?: string}, productKey: string, online?: boolean}>}
   */
  preview(params = {}) { return this.ask("share/preview", params); }

  /**
   * Accepts or rejects an invitation.
   *
   * If an invitation names a user, only that user can answer it. The request contains the invitation's id. If an
   * invitation has a QR code, the first user who scans the code answers it. The request contains the code's text.
   * ResourceNotFound: the invitation is unknown, or is for another user. InvalidRequest: the code is the caller's own.
   * Expired: the invitation was answered or revoked, or has expired. Duplicated: the caller accepts, but the device is
   * already bound to the caller. Forbidden: the caller accepts, but the device has 10,000 users or the caller has 1,000
   * devices. TooManyRequests: the user has sent 5 unknown codes in 15 minutes.
   * @param {{accept: boolean, sharingId?: string, qrText?: string}} params
   * @returns {Promise<{sharingId: string, did: string, status: "accepted"|"rejected"}>}
   */
  answer(params) { return this.ask("share/answer", params); }

  /**
   * Revokes an invitation.
   *
   * Only the inviter may revoke an invitation; other users get ResourceNotFound. Expired: the invitation was rejected,
   * has expired or was revoked. Revoking an accepted invitation ends the guest's binding.
   * @param {{sharingId: string}} params
   * @returns {Promise<Object<string, any>>}
   */
  revoke(params) { return this.ask("share/revoke", params); }

  /**
   * Transfers a device to one of its guests.
   *
   * The owner makes a guest the new owner. The new owner has the access `control` and no time limit. The old owner is
   * unbound, and the reason is `transferred`. The other guests stay, and their invitations pass to the new owner. The new
   * owner's own invitation and all pending invitations are revoked. A new ownership period begins, and the new owner sees
   * no data from earlier periods. Forbidden: the caller is not the owner. InvalidRequest: the uid is the caller's own.
   * ResourceNotFound: the user is not a guest of the device.
   * @param {{did: string, uid: string}} params
   * @returns {Promise<Object<string, any>>}
   */
  transfer(params) { return this.ask("share/transfer", params); }
}

/** The services by name. */
export const SERVICES = { account: Account, app: App, device: Device, events: Events, home: Home, notification: Notification, schedule: Schedule, session: Session, share: Share };
