// The requests of apps, one method each. Made by clients/generate.py from the schemas; edit those.

/** @typedef {(method: string, params: object) => Promise<any>} Ask */

/** @typedef {{uid: string, externalUid?: string, appId: string, region: string, countryCode: string, username?: string, phone?: string, phoneVerified: boolean, pendingPhone?: string, email?: string, emailVerified?: boolean, pendingEmail?: string, nickname: string, avatarUrl?: string, tempUnit: 1|2, timezone: string, latitude?: number, longitude?: number, name?: string, gender?: string, birthday?: string, address?: string, remark?: string, language?: string, custom?: Object<string, any>, anonymous: boolean, providers: Array<string>, createdAt: number, lastLoginAt: number}} User An account as its own user sees it. */
/** @typedef {{sessionId: string, terminalId: string, platform?: string, os?: string, name?: string, loginTime: number, lastSeenAt?: number, expiresAt: number}} Session The session whose token was used, without the token itself. */
/** @typedef {{nickname?: string, tempUnit?: 1|2, timezone?: string, latitude?: number, longitude?: number, name?: string, gender?: "male"|"female"|"other"|"unknown", birthday?: string, address?: string, remark?: string, language?: string, custom?: Object<string, any>}} Profile The user's data about themselves. Absent and null members stay unchanged. InvalidRequest for an unknown time zone, a latitude outside ±90 or a longitude outside ±180, and for a key that a profile does not have, with its path as the field (such as params.profile.interest): the app's own data belongs in `custom`. */
/** @typedef {{code: "InvalidRequest"|"InvalidToken"|"InvalidCredentials"|"InvalidCode"|"Forbidden"|"ResourceNotFound"|"Duplicated"|"TooManyRequests"|"RegionNotServed"|"DeviceOffline"|"DeviceTimeout"|"NotBound"|"NotSubscribed"|"NotListed"|"Expired"|"PolicyRejected"|"Unavailable"|"Internal", message: string, field?: string, reason?: string, retryAfter?: number, region?: string, endpoint?: string}} ErrorBody */
/** @typedef {{did: string, productKey: string, mac: string, productName: string, alias: string, remark: string, role: "special"|"normal"|"owner"|"guest", access: "control"|"read", online: boolean, subscribed: boolean, boundAt: number, guestUntil?: number, homeId?: string}} Device A device as a user who is bound to it sees it. */
/** @typedef {{kind: "user"|"device"|"schedule"|"service"|"operator"|"system", id: string, terminalId?: string}} Actor The originator of a change. `id` is the uid, the did, the scheduleId, the name of the API key, the operator's name, or the worker's name. `terminalId` is shown to the same user only, never to a device. */
/** @typedef {{wifiHardVersion?: string, wifiSoftVersion?: string, mcuHardVersion?: string, mcuSoftVersion?: string, wifiFirmwareId?: string, wifiFirmwareVer?: string, productKey?: string, link?: "wifi"|"cellular"|"bluetooth"|"ethernet"}} Hardware The device's hardware and firmware. Fields that a later message omits stay unchanged. */
/** @typedef {{id: string, type: "device.registered"|"device.online"|"device.offline"|"device.alert"|"device.alertCleared"|"device.fault"|"device.faultCleared"|"device.bound"|"device.unbound"|"device.roleChanged"|"device.command"|"device.historyLimited"|"device.status"|"share.changed"|"schedule.run"|"account.created"|"account.changed"|"account.deleted"|"session.started"|"session.ended"|"message.failed"|"events.gap", ts: number, did?: string, productKey?: string, uid?: string, actor?: Actor, data: Object<string, any>}} LoggedEvent Written in the transaction that makes it true, never before it; an entry can be delivered more than once, with the same id. Entries of one device are in the order in which they became true. A reader sees devices of its app's products and users of its app; another app's uid and actor are left out. */
/** @typedef {{scheduleId: string, did: string, nextAt?: number, date?: string, time: string, weekDays?: Array<number>, monthDays?: Array<number>, timezone: string, attrs: Object<string, any>|any, remark: string, enabled: boolean, misfire: "skip"|"run", actor: {kind: "user"|"device"|"schedule"|"service"|"operator"|"system", id: string, terminalId?: string}, createdAt: number, updatedAt: number, polar?: {date: string, sun: "polarDay"|"polarNight"}}} Schedule A command that a device receives at set times. Exactly one of date (one-time), weekDays (weekly) and monthDays (monthly). */
/** @typedef {{sharingId: string, did: string, productName?: string, alias?: string, way: "user"|"qrcode", access: "control"|"read", guestMinutes?: number, status: "pending"|"accepted"|"rejected"|"expired"|"revoked", createdAt: number, expiresAt: number, updatedAt: number, acceptedAt?: number, inviter: {uid?: string, nickname?: string, username?: string, phone?: string, email?: string, type?: "phone"|"email"|"username"|"uid"|"anonymous", value?: string}, guest: {uid?: string, nickname?: string, username?: string, phone?: string, email?: string, type?: "phone"|"email"|"username"|"uid"|"anonymous", value?: string}}} Sharing An invitation as one of its two sides sees it: names and addresses of the other side are masked; the viewer's own side is `uid` and `nickname`. */

/** Registers and logs in users, verifies their phones and e-mails, and keeps their profiles (reference: accounts#scope). */
export class Account {
  /** @param {Ask} ask */
  constructor(ask) { this.ask = ask; }

  /**
   * Logs in as an anonymous user.
   *
   * No token is needed. Logging in on a terminal that has a session ends that session, reason replaced. A login without
   * `deviceId` erases the anonymous user who was logged in on the terminal, if that user has no deviceId, no devices and
   * no session elsewhere. TooManyRequests beyond 30 new users a day per terminal, and beyond 60 an hour per source
   * address.
   * @param {{countryCode?: string, region?: string, deviceId?: string, platform?: string, os?: string, name?: string}} [params]
   * @returns {Promise<{user: User, token: string, sessionId: string, expiresAt: number, isNew: boolean, adopted?: number, adoptable?: number}>}
   */
  loginAnonymous(params = {}) { return this.ask("account/loginAnonymous", params); }

  /**
   * Returns the user and the session of the token.
   * @returns {Promise<{user: User, session: Session}>}
   */
  whoami() { return this.ask("account/whoami", {}); }

  /**
   * Ends the session.
   * @returns {Promise<Object<string, any>>}
   */
  logout() { return this.ask("account/logout", {}); }

  /**
   * Sends a code to a phone or an e-mail address.
   *
   * No token is needed for login, register and resetPassword; bind, operation and logoutTerminal need one, and
   * logoutTerminal sends to the user's own verified addresses only. A code has six digits, lives 10 minutes, and works
   * once; it allows 5 tries to callers who send its codeToken back and 5 to all others; it is bound to purpose, address,
   * app and region. 60 s between codes of one purpose to one address, 5 an hour per purpose, 10 a day per address; one
   * terminal can have codes sent to 5 addresses an hour, and one source address 20 codes: TooManyRequests beyond that,
   * and the code already sent stays valid. A malformed address gets InvalidRequest and nothing is sent. The answer is the
   * same whether or not there is such an account; with the policy revealAccounts a code of login or resetPassword for an
   * address that no account has verified gets ResourceNotFound; the result of the sending is published on
   * `app/{appId}/{terminalId}/code`.
   * @param {{purpose: "login"|"register"|"resetPassword"|"bind"|"operation"|"logoutTerminal"|0|1|2|10, countryCode?: string, region?: string, phone?: string, email?: string, account?: string}} params
   * @returns {Promise<{expiresIn: number, retryAfter: number, codeToken: string, requestId: string}>}
   */
  sendCode(params) { return this.ask("account/sendCode", params); }

  /**
   * Checks a code without using it up.
   *
   * No token is needed. Counts as a try: after five tries without its codeToken the code is void for everyone who
   * doesn't send it, and after five with it for those who do.
   * @param {{purpose: "login"|"register"|"resetPassword"|"bind"|"operation"|"logoutTerminal"|1|2|3, code: string, countryCode?: string, region?: string, phone?: string, email?: string, account?: string, codeToken?: string}} params
   * @returns {Promise<{valid: boolean}>}
   */
  checkCode(params) { return this.ask("account/checkCode", params); }

  /**
   * Creates a user and logs in.
   *
   * No token is needed. One or more of a phone, an e-mail address and a username. On a terminal whose session is
   * anonymous the anonymous user becomes this one: uid, devices and data stay. A code has the purpose register; a ticket
   * is for the same address. With both addresses the code or ticket proves one of them, and the other is pending: a phone
   * until account/bindPhone, an e-mail until its link or account/bindEmail. A pending address does not log in; if another
   * account has proved it, the answer is the same as for a free address, or Duplicated if accounts are revealed. A phone
   * alone needs a code or ticket (PolicyRejected while the policy phoneRegistration is off). An e-mail needs one under
   * the policy emailRegistration code; under link and none it needs none, nor does a phone beside it, which is pending.
   * Without a username, a proved phone becomes the username; the proved phone itself is accepted as username in any of
   * its forms. A taken username gets Duplicated. A taken address gets Duplicated only with a right code. Under the
   * policies link and none the answer to a taken address is the same as to a new one, and its owner gets an e-mail; each
   * account logs in with its own password, but beside an owner only the newest of the unproved accounts does. While no
   * account has verified the address, each account gets the verification link (under none, in a confirmation). An address
   * verified by a code is removed from accounts that never verified it.
   * @param {{password: string, countryCode?: string, region?: string, phone?: string, email?: string, username?: string, code?: string, codeToken?: string, ticket?: string, profile?: Profile, platform?: string, os?: string, name?: string}} params
   * @returns {Promise<{user: User, token: string, sessionId: string, expiresAt: number}>}
   */
  register(params) { return this.ask("account/register", params); }

  /**
   * Logs in by password or code.
   *
   * No token is needed. `account` can be a phone, an e-mail or a username. `code` has the purpose login and is given
   * with phone, email or an account that is one of them; with an unknown phone it registers the user (username = phone,
   * no password, phoneVerified). On a terminal whose session is anonymous, a login that creates a user turns the
   * anonymous user into it; a login to an existing account takes over the anonymous user's devices with `adopt`, or
   * reports how many it could take over. A login undoes a pending cancellation. InvalidCredentials for a wrong password
   * and for an unknown name alike; InvalidCode for a wrong code. With the policy revealAccounts an unknown name gets
   * ResourceNotFound. After ten failures in 15 minutes for one name or one terminal, every password check gets
   * TooManyRequests; a right code still logs in. Logging in on a terminal that has a session ends that session, reason
   * replaced.
   * @param {{countryCode?: string, region?: string, phone?: string, email?: string, username?: string, account?: string, password?: string, adopt?: boolean, code?: string, codeToken?: string, platform?: string, os?: string, name?: string}} [params]
   * @returns {Promise<{user: User, token: string, sessionId: string, expiresAt: number, isNew: boolean, adopted?: number, adoptable?: number}>}
   */
  login(params = {}) { return this.ask("account/login", params); }

  /**
   * Logs in with the app's own user id, registering it the first time.
   *
   * No token is needed; PolicyRejected while the policy uidLogin is off. `uid` is the app's own (`externalUid`);
   * `user.uid` is always the service's own. The first password given becomes the user's; a wrong one later gets
   * InvalidCredentials. `createHome` creates a home at the registration.
   * @param {{uid: string, password: string, countryCode?: string, region?: string, adopt?: boolean, createHome?: boolean, platform?: string, os?: string, name?: string}} params
   * @returns {Promise<{user: User, token: string, sessionId: string, expiresAt: number, isNew: boolean, adopted?: number, adoptable?: number}>}
   */
  loginOrRegister(params) { return this.ask("account/loginOrRegister", params); }

  /**
   * Logs in with a third party's credential.
   *
   * No token is needed. Accounts are found by provider and subject, never by e-mail: an address from the provider is at
   * most kept as unverified. Nickname and picture are taken from the provider if it returns them and the profile has
   * none. The first login creates a user with a random username and no password (`isNew`), or converts the anonymous user
   * whose session is on the terminal. `auth2` is an SDK's name for `apple`.
   * @param {{provider: string, credential: Object<string, any>, countryCode?: string, region?: string, adopt?: boolean, profile?: Profile, platform?: string, os?: string, name?: string}} params
   * @returns {Promise<{user: User, token: string, sessionId: string, expiresAt: number, isNew: boolean, adopted?: number, adoptable?: number}>}
   */
  loginWithProvider(params) { return this.ask("account/loginWithProvider", params); }

  /**
   * Links a third party's account to the user.
   *
   * Turns an anonymous user into a real one. Duplicated if the third party's account belongs to another user; linking
   * one that is linked already is a success. Nickname and picture are taken from the provider if it returns them and the
   * profile has none.
   * @param {{provider: string, credential: Object<string, any>}} params
   * @returns {Promise<Object<string, any>>}
   */
  linkProvider(params) { return this.ask("account/linkProvider", params); }

  /**
   * Removes the link to a third party's account.
   *
   * `credential` is optional and ignored. ResourceNotFound for a provider that isn't linked; Forbidden for the last way
   * to log in.
   * @param {{provider: string, credential?: Object<string, any>}} params
   * @returns {Promise<Object<string, any>>}
   */
  unlinkProvider(params) { return this.ask("account/unlinkProvider", params); }

  /**
   * Lists the third parties' accounts linked to the user.
   * @returns {Promise<{providers: Array<{provider: string, subject: string, linkedAt: number, accessToken?: string}>}>}
   */
  providers() { return this.ask("account/providers", {}); }

  /**
   * Returns the part of a user's data that other users can see.
   *
   * ResourceNotFound for a user who does not exist, or belongs to another app or region.
   * @param {{uid: string}} params
   * @returns {Promise<{uid: string, nickname: string, avatarUrl?: string}>}
   */
  getUser(params) { return this.ask("account/getUser", params); }

  /**
   * Is always refused: users cannot be searched.
   *
   * Always Forbidden.
   * @returns {Promise<Object<string, any>>}
   */
  queryUsers() { return this.ask("account/queryUsers", {}); }

  /**
   * Changes the user's profile.
   *
   * Absent and null members stay unchanged. `username`: Duplicated if taken, PolicyRejected if one is set and the
   * policy usernameChangeable is off. A phone (with its country code) or an e-mail given here neither logs in nor resets
   * a password until it is verified, a phone by account/bindPhone, an e-mail by the verification link sent to it or by
   * account/bindEmail: beside a verified one it is shown as `pendingPhone` or `pendingEmail`, alone also as `phone` or
   * `email`. Giving the current address again drops the pending one. An address that another account has gets Duplicated
   * with the policy revealAccounts; otherwise it is accepted like any other, and its owner gets a message. Username and
   * address can be given in one request: both are accepted, or neither. If they are accepted and the rest is refused, the
   * answer is a success with `profileError`; without them a bad profile field is refused.
   * @param {{username?: string, nickname?: string, tempUnit?: 1|2, timezone?: string, latitude?: number, longitude?: number, name?: string, gender?: "male"|"female"|"other"|"unknown", birthday?: string, address?: string, remark?: string, language?: string, custom?: Object<string, any>, countryCode?: string, phone?: string, email?: string}} [params]
   * @returns {Promise<{user: User, profileError?: ErrorBody}>}
   */
  updateProfile(params = {}) { return this.ask("account/updateProfile", params); }

  /**
   * Sets the user's picture.
   *
   * PNG or JPEG by its bytes, at most 45 KiB; anything else gets InvalidRequest, field params.data. null removes the
   * picture, also the provider's.
   * @param {{data?: string}} [params]
   * @returns {Promise<{avatarUrl?: string}>}
   */
  setAvatar(params = {}) { return this.ask("account/setAvatar", params); }

  /**
   * Binds a phone that the user has proved, and replaces the old one.
   *
   * `code` has the purpose bind. InvalidCode for a wrong code; Duplicated, with a right code, if another account has
   * verified the number. An account that holds it unverified loses it. The old address and the user's other terminals are
   * notified. For 24 hours a link sent to the old address can undo the change; it ends all sessions and also removes
   * possible ways in for an intruder: a password set since, an e-mail address or a provider's identity that was added
   * since or within a day before the change, and a username that is an e-mail address but not the account's. A bad
   * `profile` does not undo the binding and is reported as `profileError`.
   * @param {{phone: string, countryCode?: string, region?: string, code?: string, codeToken?: string, ticket?: string, profile?: Profile}} params
   * @returns {Promise<{user: User, profileError?: ErrorBody}>}
   */
  bindPhone(params) { return this.ask("account/bindPhone", params); }

  /**
   * Binds an e-mail address that the user has proved, and replaces the old one.
   *
   * `code` has the purpose bind. InvalidCode for a wrong code; Duplicated, with a right code, if another account has
   * verified the address. An account that holds it unverified loses it. The old address and the user's other terminals
   * are notified. For 24 hours a link sent to the old address can undo the change; it ends all sessions and also removes
   * possible ways in for an intruder: a password set since, a phone number or a provider's identity that was added since
   * or within a day before the change, and a username that is an e-mail address but not the account's. A bad `profile`
   * does not undo the binding and is reported as `profileError`.
   * @param {{email: string, countryCode?: string, region?: string, code?: string, codeToken?: string, ticket?: string, profile?: Profile}} params
   * @returns {Promise<{user: User, profileError?: ErrorBody}>}
   */
  bindEmail(params) { return this.ask("account/bindEmail", params); }

  /**
   * Sends a link that verifies the user's e-mail.
   *
   * For `pendingEmail`, or else an e-mail that is not verified. The link lives 24 hours; a new one makes the old one
   * void. ResourceNotFound without an e-mail, PolicyRejected while the policy emailVerification is off; to an e-mail that
   * is verified already nothing is sent, and the answer is a success. The limits are the same as for sendCode.
   * @returns {Promise<Object<string, any>>}
   */
  requestEmailVerification() { return this.ask("account/requestEmailVerification", {}); }

  /**
   * Sets a new password.
   *
   * InvalidCredentials for a wrong old password; an account without a password needs none. All other sessions end,
   * reason passwordChanged; the caller's session continues with its token.
   * @param {{newPassword: string, oldPassword?: string}} params
   * @returns {Promise<Object<string, any>>}
   */
  changePassword(params) { return this.ask("account/changePassword", params); }

  /**
   * Checks the user's password.
   *
   * A wrong password counts as a failed login. An account without a password matches none.
   * @param {{password: string}} params
   * @returns {Promise<{match: boolean}>}
   */
  checkPassword(params) { return this.ask("account/checkPassword", params); }

  /**
   * Sends a link to the page that sets a new password.
   *
   * No token is needed. Matches a verified e-mail, the unverified e-mail that an account registered with, or a username
   * that is one; the answer is the same if nothing matches (ResourceNotFound with the policy revealAccounts). The link
   * lives 1 hour and works once; a new one makes the old one void. If an account registered with the address and never
   * verified it, following the link verifies it and removes everything linked meanwhile: phone, providers, a username
   * that is another mailbox, other links. All sessions end. The limits are the same as for sendCode.
   * @param {{email: string, countryCode?: string, region?: string}} params
   * @returns {Promise<Object<string, any>>}
   */
  requestPasswordReset(params) { return this.ask("account/requestPasswordReset", params); }

  /**
   * Sets a new password by a code.
   *
   * No token is needed. The code has the purpose resetPassword, or register if the address has an account (the SDKs
   * send that). Resets the account of a verified phone or e-mail, and the account that requestPasswordReset would match,
   * with the same consequences. InvalidCode for a wrong code and for an unknown address alike (ResourceNotFound with the
   * policy revealAccounts). A weak password gets PolicyRejected and the code is not used up. All sessions end, reason
   * passwordReset.
   * @param {{code: string, newPassword: string, countryCode?: string, region?: string, phone?: string, email?: string, codeToken?: string}} params
   * @returns {Promise<Object<string, any>>}
   */
  resetPassword(params) { return this.ask("account/resetPassword", params); }

  /**
   * Turns an anonymous user into a registered one.
   *
   * uid, devices, data and session stay. A phone needs a code of purpose register, or a ticket. Duplicated if the
   * target is taken; Forbidden for a user who isn't anonymous.
   * @param {{password: string, countryCode?: string, region?: string, username?: string, phone?: string, code?: string, codeToken?: string, ticket?: string}} params
   * @returns {Promise<{user: User}>}
   */
  convertAnonymous(params) { return this.ask("account/convertAnonymous", params); }

  /**
   * Exchanges a code for a ticket.
   *
   * A code of purpose operation, sent to any address; a session is needed, but can be anonymous. The ticket lives 5
   * minutes and works once, for this address and from this terminal.
   * @param {{code: string, countryCode?: string, region?: string, phone?: string, email?: string, codeToken?: string}} params
   * @returns {Promise<{ticket: string, expiresIn: number}>}
   */
  verifyOperation(params) { return this.ask("account/verifyOperation", params); }

  /**
   * Schedules the account to be erased in seven days.
   *
   * One of password, code and ticket; the code has the purpose operation and was sent to a verified address of the
   * account. None of them is needed for an account with neither password nor verified address, or while the app's policy
   * cancelProof is off. Every address of the account is notified. All sessions end with the reason accountCancelled. A
   * login before `deletesAt` undoes the cancellation; at `deletesAt` all the user's data is erased.
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
   * @returns {Promise<{name: string, policies: {revealAccounts: boolean, emailRegistration: "code"|"link"|"none", emailVerification: boolean, phoneRegistration: boolean, uidLogin: boolean, usernameChangeable: boolean, anonymous: "keep"|"discard", defaultCountryCode?: string}, providers: Array<string>, regions: Array<{region: string, countryCodes: Array<string>, isDefault: boolean, isServed: boolean, endpoint?: string}>, passwordMinLength: number, sessionDays: number}>}
   */
  info() { return this.ask("app/info", {}); }
}

/** Binds devices to users, commands them, and reads their status, history and users (reference: commands#life). */
export class Device {
  /** @param {Ask} ask */
  constructor(ask) { this.ask = ask; }

  /**
   * Binds a device by its passcode.
   *
   * Either `did`, or `productKey` and `mac`. Wrong tries in 15 minutes: 5 from one user for one device, 10 from one
   * terminal, 50 from all for one device; then TooManyRequests, for the right passcode too. With the right `claim`, other
   * users' wrong tries for the device do not count. A try for a device that does not exist counts for that name and user
   * alone. A user who is bound already succeeds only with the right passcode. Forbidden: the device has an owner, or
   * 10,000 users, or the caller has 1,000 devices.
   * @param {{passcode: string, did?: string, productKey?: string, mac?: string, claim?: string}} params
   * @returns {Promise<{did: string}>}
   */
  bind(params) { return this.ask("device/bind", params); }

  /**
   * Unbinds the caller from a device.
   *
   * The device to leave; NotBound if the caller is not bound to it.
   * @param {{did: string}} params
   * @returns {Promise<Object<string, any>>}
   */
  unbind(params) { return this.ask("device/unbind", params); }

  /**
   * Lists the user's devices.
   *
   * `offset` 0 and `limit` 100 when absent.
   * @param {{productKeys?: Array<string>, offset?: number, cursor?: string, limit?: number}} [params]
   * @returns {Promise<{devices: Array<Device>, total: number, cursor?: string}>}
   */
  list(params = {}) { return this.ask("device/list", params); }

  /**
   * Turns the caller's status messages of a device on or off.
   *
   * Setting the current value is a success; true publishes the latest status again.
   * @param {{did: string, subscribed: boolean}} params
   * @returns {Promise<Object<string, any>>}
   */
  subscribe(params) { return this.ask("device/subscribe", params); }

  /**
   * Returns the stored status of a device.
   *
   * The caller must be bound and subscribed.
   * @param {{did: string}} params
   * @returns {Promise<{did: string, sn: 0, version: number, ts: number, online: boolean, data: Object<string, any>, changed: Array<string>, alerts: Array<string>, faults: Array<string>}>}
   */
  status(params) { return this.ask("device/status", params); }

  /**
   * Sends a command to a device.
   *
   * Either `data` or `binary`. Checked in this order: shape, bound (NotBound), subscribed (NotSubscribed), access
   * (Forbidden), data against the writable data points (InvalidRequest, field params.data.NAME), online (DeviceOffline).
   * @param {{did: string, data?: Object<string, any>|any, binary?: string, sn?: number, mode?: "now"|"queue", ttl?: number, wait?: boolean}} params
   * @returns {Promise<{cid: number, sn: number, state: "queued"|"sent"|"done"|"failed"|"expired"|"superseded", code?: number|"InvalidRequest"|"InvalidToken"|"InvalidCredentials"|"InvalidCode"|"Forbidden"|"ResourceNotFound"|"Duplicated"|"TooManyRequests"|"RegionNotServed"|"DeviceOffline"|"DeviceTimeout"|"NotBound"|"NotSubscribed"|"NotListed"|"Expired"|"PolicyRejected"|"Unavailable"|"Internal", data?: Object<string, any>}>}
   */
  control(params) { return this.ask("device/control", params); }

  /**
   * Asks a device to report now.
   *
   * Asks the device to report now. Answered with the status once the device has answered; NotBound, NotSubscribed,
   * DeviceOffline (not connected), DeviceTimeout (no answer within `timeout`). The device receives a command of type
   * query. A guest with access read can query.
   * @param {{did: string, timeout?: number}} params
   * @returns {Promise<{did: string, sn: 0, version: number, ts: number, online: boolean, data: Object<string, any>, changed: Array<string>, alerts: Array<string>, faults: Array<string>}>}
   */
  query(params) { return this.ask("device/query", params); }

  /**
   * Returns a page of a device's reports, or aggregates them.
   *
   * Oldest first, records of one moment in the order of their arrival. Reaches back no further than the device's
   * current ownership period (the first one has no beginning: records that it kept from before its registration count)
   * and the days that the product keeps (30 unless it says otherwise); earlier records are left out silently. With
   * `every`, values are summarised by steps: minutes and hours (15m, 6h) are fixed and count from the epoch in UTC; days,
   * weeks (from Monday) and months follow `timezone`, with days of 23 or 25 hours when its clocks change. Only records
   * from `from` on and before `to` count, also in the first and last step. Steps without values are left out. `avg, min,
   * max, sum` use numbers only. InvalidRequest for `fn` without `every`, a zone that isn't known, and a step that holds
   * more records than one answer can read (5,000,000).
   * @param {{did: string, from: number, to: number, attr?: string, limit?: number, cursor?: string, every?: string, fn?: "avg"|"min"|"max"|"sum"|"count"|"first"|"last", timezone?: string}} params
   * @returns {Promise<{rows: Array<{ts: number, data: Object<string, any>, binary?: string}|{ts: number, value: any}>, cursor?: string}>}
   */
  history(params) { return this.ask("device/history", params); }

  /**
   * Returns a page of a device's alerts, faults and changes of presence.
   *
   * The log of alerts, faults, presence, schedules' runs and history that is not kept, newest first; it reaches back as
   * far as device/history. Without `from` and `to`, all of it.
   * @param {{did: string, from?: number, to?: number, types?: Array<"alert"|"alertCleared"|"fault"|"faultCleared"|"online"|"offline"|"scheduleRun"|"historyLimited">, limit?: number, cursor?: string}} params
   * @returns {Promise<{events: Array<{did?: string, eventId: string, ts: number, actor: Actor, type: "alert"|"fault", name: string, value: any}|{did?: string, eventId: string, ts: number, actor: Actor, type: "alertCleared"|"faultCleared", name: string, value: false}|{did?: string, eventId?: string, ts: number, actor?: Actor, type: "online"}|{did?: string, eventId?: string, ts: number, actor?: Actor, type: "offline", reason?: "closed"|"lost"|"kicked"|"takenOver"}|{did?: string, eventId: string, ts: number, actor: {kind: "user"|"device"|"schedule"|"service"|"operator"|"system", id: string, terminalId?: string}, type: "scheduleRun", name: string, value: {state: "done"|"failed"|"expired"|"missed", dueAt: number, cid?: number}, reason?: "InvalidRequest"|"InvalidToken"|"InvalidCredentials"|"InvalidCode"|"Forbidden"|"ResourceNotFound"|"Duplicated"|"TooManyRequests"|"RegionNotServed"|"DeviceOffline"|"DeviceTimeout"|"NotBound"|"NotSubscribed"|"NotListed"|"Expired"|"PolicyRejected"|"Unavailable"|"Internal"}|{did?: string, eventId: string, ts: number, actor: {kind: "user"|"device"|"schedule"|"service"|"operator"|"system", id: string, terminalId?: string}, type: "historyLimited", value: {megabytesPerDay: number, resumesAt: number}}>, cursor?: string}>}
   */
  events(params) { return this.ask("device/events", params); }

  /**
   * Returns a page of a device's commands.
   *
   * The log of commands by the time of their creation, newest first; it reaches back as far as device/history.
   * @param {{did: string, from?: number, to?: number, types?: Array<"write"|"query">, limit?: number, cursor?: string}} params
   * @returns {Promise<{commands: Array<{cid: number, sn: number, type: "write"|"query", mode: "now"|"queue", state: "queued"|"sent"|"done"|"failed"|"expired"|"superseded", code?: number|"InvalidRequest"|"InvalidToken"|"InvalidCredentials"|"InvalidCode"|"Forbidden"|"ResourceNotFound"|"Duplicated"|"TooManyRequests"|"RegionNotServed"|"DeviceOffline"|"DeviceTimeout"|"NotBound"|"NotSubscribed"|"NotListed"|"Expired"|"PolicyRejected"|"Unavailable"|"Internal", data: Object<string, any>, binary?: string, result?: Object<string, any>, actor: Actor, createdAt: number, expiresAt: number, doneAt?: number, late?: true, steps: Array<{state: "queued"|"sent"|"done"|"failed"|"expired"|"superseded", ts: number, actor: Actor}>}>, cursor?: string}>}
   */
  commands(params) { return this.ask("device/commands", params); }

  /**
   * Binds a device that is not on the LAN by its label.
   *
   * For a device that is not on the LAN. Either `claim`, the whole text of the device's printed label, or
   * `productSecret`, which is accepted only for a product with remoteBind secret and only while no other user is bound.
   * Creates the device if it has not registered yet (NotListed for a MAC that is not on the list of a product with
   * registration listed); its first registration then needs no oldSecret and sets its passcode. Wrong proofs, unknown
   * devices and products of another app get InvalidCredentials; they count together with the wrong passcodes of
   * device/bind: in 15 minutes 5 from one user for one device, 10 from one terminal and, without the right `claim`, 50
   * from all for one device, then TooManyRequests. A right proof gets Forbidden for a device with an owner or with 10,000
   * users, and for a caller with 1,000 devices. If the caller is already bound: success, nothing changes.
   * @param {{productKey: string, mac: string, claim?: string, productSecret?: string}} params
   * @returns {Promise<{did: string}>}
   */
  bindRemote(params) { return this.ask("device/bindRemote", params); }

  /**
   * Sets the caller's own name and note for a device.
   *
   * The caller's own name and note for the device; no other user sees them. An absent or null member stays unchanged,
   * an empty text clears it. A change is pushed to the caller's terminals (`changed`).
   * @param {{did: string, alias?: string, remark?: string}} params
   * @returns {Promise<Object<string, any>>}
   */
  setCustomInfo(params) { return this.ask("device/setCustomInfo", params); }

  /**
   * Returns the hardware and firmware versions of a device.
   *
   * What the device gave about itself at its registration and later, as stored. For all bound users, subscribed or not.
   * @param {{did: string}} params
   * @returns {Promise<{hardware: Hardware}>}
   */
  hardware(params) { return this.ask("device/hardware", params); }

  /**
   * Lists the users who are bound to a device.
   *
   * For the special user and the owner; Forbidden for others. Oldest binding first (equal times by uid).
   * @param {{did: string, limit?: number, cursor?: string}} params
   * @returns {Promise<{users: Array<{uid: string, nickname: string, address?: string, username?: string, role: "special"|"normal"|"owner"|"guest", access: "control"|"read", boundAt: number, guestUntil?: number}>, cursor?: string}>}
   */
  users(params) { return this.ask("device/users", params); }

  /**
   * Removes a guest from a device.
   *
   * The owner removes a guest from the device: Forbidden for others, InvalidRequest for the owner's own uid
   * (device/unbind does that), ResourceNotFound for a user who is not bound. The guest is notified (`unbound`, reason
   * removed), their retained status is cleared, and the invitation that let them in is revoked.
   * @param {{did: string, uid: string}} params
   * @returns {Promise<Object<string, any>>}
   */
  removeUser(params) { return this.ask("device/removeUser", params); }

  /**
   * Lets a device be reset to its factory state.
   *
   * The special user or the owner allows the device to be reset: for 15 minutes one registration without the old secret
   * succeeds as a factory reset. Forbidden for others, and for products with reset operator. The permission is void if
   * the user who gave it leaves the device.
   * @param {{did: string}} params
   * @returns {Promise<{expiresAt: number}>}
   */
  allowReset(params) { return this.ask("device/allowReset", params); }
}

/** Reads the event log, and manages its subscriptions, for servers with an API key (reference: events). */
export class Events {
  /** @param {Ask} ask */
  constructor(ask) { this.ask = ask; }

  /**
   * Returns entries of the event log, or waits for the next one.
   *
   * For API keys with the scope events; Forbidden for users. Without types, all but device.status. InvalidRequest: a
   * type or a product that doesn't exist, a text that is no cursor. TooManyRequests: too many readers of the key wait
   * (limits.eventReadersPerKey). ResourceNotFound: no such subscription of the app.
   * @param {{after?: string, subscriptionId?: string, types?: Array<string>, productKeys?: Array<string>, dids?: Array<string>, limit?: number, wait?: number}} [params]
   * @returns {Promise<{events: Array<LoggedEvent>, cursor: string, more: boolean}>}
   */
  read(params = {}) { return this.ask("events/read", params); }

  /**
   * Makes a reader that the service knows: a stored cursor, or a webhook.
   *
   * For API keys with the scope events; Forbidden for users. Forbidden beyond 20 subscriptions of an app.
   * InvalidRequest: a type or a product that doesn't exist, an address that is not allowed.
   * @param {{name: string, types: Array<string>, productKeys?: Array<string>, dids?: Array<string>, url?: string, batch?: number, from?: string}} params
   * @returns {Promise<{subscriptionId: string, secret?: string}>}
   */
  subscribe(params) { return this.ask("events/subscribe", params); }

  /**
   * Moves a subscription's cursor forward.
   *
   * For API keys with the scope events; Forbidden for users. ResourceNotFound: no such subscription of the app.
   * @param {{subscriptionId: string, cursor: string}} params
   * @returns {Promise<Object<string, any>>}
   */
  ack(params) { return this.ask("events/ack", params); }

  /**
   * Changes a subscription; moving its cursor back replays events.
   *
   * For API keys with the scope events; Forbidden for users. ResourceNotFound: no such subscription of the app.
   * InvalidRequest: url for a subscription without a webhook.
   * @param {{subscriptionId: string, types?: Array<string>, url?: string, batch?: number, state?: "on"|"paused", cursor?: string|number}} params
   * @returns {Promise<Object<string, any>>}
   */
  update(params) { return this.ask("events/update", params); }

  /**
   * Lists the app's subscriptions.
   *
   * For API keys with the scope events; Forbidden for users.
   * @returns {Promise<{subscriptions: Array<{subscriptionId: string, name: string, types: Array<string>, productKeys?: Array<string>, dids?: Array<string>, url?: string, batch: number, state: "on"|"paused"|"disabled", reason?: string, cursor: string, behind: number, tries: number, failingSince?: number, lastOkAt?: number, lastError?: string}>}>}
   */
  subscriptions() { return this.ask("events/subscriptions", {}); }

  /**
   * Gives a webhook a new secret; for 24 hours both sign.
   *
   * For API keys with the scope events; Forbidden for users. InvalidRequest: a subscription without a webhook.
   * ResourceNotFound: no such subscription of the app.
   * @param {{subscriptionId: string}} params
   * @returns {Promise<{secret: string}>}
   */
  rotate(params) { return this.ask("events/rotate", params); }

  /**
   * Removes a subscription; no delivery begins from then on.
   *
   * For API keys with the scope events; Forbidden for users. ResourceNotFound: no such subscription of the app.
   * @param {{subscriptionId: string}} params
   * @returns {Promise<Object<string, any>>}
   */
  unsubscribe(params) { return this.ask("events/unsubscribe", params); }

  /**
   * Lists the last 200 tries of a webhook, newest first.
   *
   * For API keys with the scope events; Forbidden for users. ResourceNotFound: no such subscription of the app.
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
   * All of the caller's homes; `cursor` or `offset` only after an answer that was cut.
   * @param {{offset?: number, cursor?: string}} [params]
   * @returns {Promise<{homes: Array<{homeId: string, name: string, latitude?: number, longitude?: number, dids: Array<string>}>, cursor?: string}>}
   */
  list(params = {}) { return this.ask("home/list", params); }

  /**
   * Creates a home.
   *
   * Creates a home. Forbidden beyond 100 homes of one user (setting limits.homesPerUser).
   * @param {{name: string, latitude?: number, longitude?: number}} params
   * @returns {Promise<{homeId: string}>}
   */
  create(params) { return this.ask("home/create", params); }

  /**
   * Renames a home.
   *
   * Changes the name of a home of the caller, and its place if one is given. ResourceNotFound: no home of the caller.
   * @param {{homeId: string, name: string, latitude?: number, longitude?: number}} params
   * @returns {Promise<Object<string, any>>}
   */
  rename(params) { return this.ask("home/rename", params); }

  /**
   * Deletes a home.
   *
   * Deletes a home of the caller; its devices stay bound and are then in no home (`changed`).
   * @param {{homeId: string}} params
   * @returns {Promise<Object<string, any>>}
   */
  delete(params) { return this.ask("home/delete", params); }

  /**
   * Adds a device to a home.
   *
   * Puts a device that is bound to the caller (NotBound) into one of the caller's homes (ResourceNotFound), and removes
   * it from its previous home. The caller's terminals are notified (`changed`); unbinding removes the device from its
   * home.
   * @param {{homeId: string, did: string}} params
   * @returns {Promise<Object<string, any>>}
   */
  addDevice(params) { return this.ask("home/addDevice", params); }

  /**
   * Removes a device from a home.
   *
   * Removes a device from a home of the caller; it stays bound. ResourceNotFound: no home of the caller, or the device
   * is not in it.
   * @param {{homeId: string, did: string}} params
   * @returns {Promise<Object<string, any>>}
   */
  removeDevice(params) { return this.ask("home/removeDevice", params); }
}

/** Creates, changes and lists schedules, which command a device at set times (reference: schedules#when). */
export class Schedule {
  /** @param {Ask} ask */
  constructor(ask) { this.ask = ask; }

  /**
   * Creates a schedule that commands a device at set times.
   *
   * Without date, weekDays and monthDays it is one-time, on the first day on which its time is still to come. Requires
   * control of the device: NotBound, NotSubscribed, or Forbidden for a user who can only watch. Checked in this order:
   * shape, bound, subscribed, access, attrs against the writable data points (field params.attrs.NAME), at most 100
   * schedules a device (Forbidden, field params.did), zone, place, times.
   * @param {{did: string, time: string, attrs: Object<string, any>|any, date?: string, weekDays?: Array<number>, monthDays?: Array<number>, timezone?: string, remark?: string, enabled?: boolean, misfire?: "skip"|"run"}} params
   * @returns {Promise<{schedule: Schedule, schedules: Array<Schedule>, cursor?: string, ignored?: Array<"date"|"monthDays">}>}
   */
  create(params) { return this.ask("schedule/create", params); }

  /**
   * Lists the schedules of one device or of all.
   *
   * With did the schedules of one device (NotBound if it isn't the caller's), else those of all the caller's devices.
   * @param {{did?: string, limit?: number, cursor?: string}} [params]
   * @returns {Promise<{schedules: Array<Schedule>, cursor?: string}>}
   */
  list(params = {}) { return this.ask("schedule/list", params); }

  /**
   * Changes a schedule or its kind.
   *
   * Absent and null members stay unchanged. A given date, weekDays or monthDays sets the kind and clears the others
   * (with several, as for create). A disabled schedule stays disabled unless enabled is given. For the creator, the
   * special user and the owner; ResourceNotFound for others and for unknown ids. Changing attrs requires control of the
   * device (else NotSubscribed or Forbidden). The schedule still acts with its creator's rights.
   * @param {{scheduleId: string, date?: string, time?: string, weekDays?: Array<number>, monthDays?: Array<number>, timezone?: string, attrs?: Object<string, any>|any, remark?: string, enabled?: boolean, misfire?: "skip"|"run"}} params
   * @returns {Promise<{schedule: Schedule, schedules: Array<Schedule>, cursor?: string, ignored?: Array<"date"|"monthDays">}>}
   */
  update(params) { return this.ask("schedule/update", params); }

  /**
   * Deletes a schedule.
   *
   * Its runs are deleted with it. For the creator, the special user and the owner; ResourceNotFound for others and for
   * unknown ids.
   * @param {{scheduleId: string}} params
   * @returns {Promise<{schedules: Array<Schedule>, cursor?: string}>}
   */
  delete(params) { return this.ask("schedule/delete", params); }

  /**
   * Enables a schedule.
   *
   * Enabled from now on; a one-time schedule whose time has passed gets InvalidRequest, field params.scheduleId. For
   * the creator, the special user and the owner; ResourceNotFound for others and for unknown ids.
   * @param {{scheduleId: string}} params
   * @returns {Promise<{schedules: Array<Schedule>, cursor?: string}>}
   */
  enable(params) { return this.ask("schedule/enable", params); }

  /**
   * Disables a schedule.
   *
   * Its occurrences are skipped, and a trigger for one becomes a dead letter. For the creator, the special user and the
   * owner; ResourceNotFound for others and for unknown ids.
   * @param {{scheduleId: string}} params
   * @returns {Promise<{schedules: Array<Schedule>, cursor?: string}>}
   */
  disable(params) { return this.ask("schedule/disable", params); }

  /**
   * Lists the runs of a schedule and their results.
   *
   * For every user bound to the device; ResourceNotFound for others and for unknown ids. The runs of a schedule are
   * kept for 90 days by default.
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
   * Lists the terminals that the user is logged in on.
   * @returns {Promise<{sessions: Array<{terminalId: string, platform: string, os: string, name: string, loginTime: number, lastSeenAt: number, current: boolean}>}>}
   */
  list() { return this.ask("session/list", {}); }

  /**
   * Returns the code that is needed to end sessions of other terminals.
   *
   * `userName` is the user's own verified e-mail or phone, the phone in any form (E.164, 86-13800138000, or without
   * country code); another user's address is refused like a wrong code or password. `authCode` is a code of purpose
   * logoutTerminal. A password is accepted with accountType phone only. InvalidRequest if the other way's field is given
   * too; `ifencrypt` 1 is accepted with password and refused with authCode (TLS does the encrypting; the password is sent
   * unchanged).
   * @param {{userName: string, accountType: "email"|"phone", verifyType: "authCode"|"password", countryCode?: string, region?: string, authCode?: string, codeToken?: string, password?: string, ifencrypt?: 0|1}} params
   * @returns {Promise<{logoutCode: string, expiresIn: number}>}
   */
  logoutCode(params) { return this.ask("session/logoutCode", params); }

  /**
   * Ends the session of another terminal of the user.
   *
   * InvalidCode for a wrong, old or used code; ResourceNotFound for a terminal that the user isn't logged in on,
   * without using up the code; InvalidRequest for the caller's own terminal, as account/logout is for that.
   * @param {{terminalId: string, logoutCode: string}} params
   * @returns {Promise<{terminated: string}>}
   */
  terminate(params) { return this.ask("session/terminate", params); }

  /**
   * Ends the sessions of all other terminals of the user.
   *
   * InvalidCode for a wrong, old or used code. If there are no other terminals, the result is 0 and the code is used
   * up.
   * @param {{logoutCode: string}} params
   * @returns {Promise<{terminated: number}>}
   */
  terminateOthers(params) { return this.ask("session/terminateOthers", params); }

  /**
   * Renews the session: a new token and seven more days.
   *
   * The old token works until the new one's first use, at most 60 s: its first use in a request, or in a CONNECT, which
   * the gate reports to the service on system/token-used. Refreshing with the old token gets InvalidToken; a repeat of
   * the same request gets the same answer as long as the old token works.
   * @returns {Promise<{token: string, expiresAt: number}>}
   */
  refresh() { return this.ask("session/refresh", {}); }
}

/** Invites users to a device and transfers devices (reference: sharing#invitations). */
export class Share {
  /** @param {Ask} ask */
  constructor(ask) { this.ask = ask; }

  /**
   * Invites a user to a device.
   *
   * For the special user and the owner (Forbidden for others, NotBound for strangers). No role changes before an
   * invitation is accepted: with the first acceptance the special user becomes the owner, and normal users become guests;
   * an invitation that is rejected, revoked or expires changes nothing. By user: `guest` is required; a phone or e-mail
   * must be verified if the app verifies e-mails. If the app reveals accounts, an unknown name gets ResourceNotFound,
   * field params.guest.value; otherwise this is never revealed: an invitation to an unknown name is answered and expires
   * like any other. InvalidRequest for the caller's own name. Duplicated if the named user is bound to the device, or if
   * an invitation by the same name is pending or was accepted. By QR code: the first user to scan it answers it; `guest`
   * must be absent. TooManyRequests beyond 200 invitations an hour per user (setting limits.invitationsPerHour);
   * Forbidden beyond 200 pending ones per device.
   * @param {{did: string, way: "user"|"qrcode", guest?: {type: "phone"|"email"|"username"|"uid"|"anonymous", value: string, countryCode?: string}, access?: "control"|"read", guestMinutes?: number}} params
   * @returns {Promise<{sharingId: string, expiresAt: number, qrCode?: {text: string, svg: string, png: string}}>}
   */
  invite(params) { return this.ask("share/invite", params); }

  /**
   * Lists invitations to the caller, or by the caller.
   *
   * `toMe`: invitations to the caller, by name or by a code that the caller has answered; `byMe`: invitations that the
   * caller made. The newest come first. Ended invitations are shown for 30 days (setting limits.invitationDays).
   * @param {{type: "toMe"|"byMe", did?: string, limit?: number, cursor?: string}} params
   * @returns {Promise<{sharings: Array<Sharing>, cursor?: string}>}
   */
  list(params) { return this.ask("share/list", params); }

  /**
   * Shows an invitation before it is answered.
   *
   * For the user who can answer it (share/answer), with the same refusals. It changes nothing and uses nothing up: the
   * invitation stays pending. TooManyRequests beyond 30 an hour per terminal (setting limits.previewsPerTerminal).
   * @param {{sharingId?: string, qrText?: string}} [params]
   * @returns {Promise<{sharingId: string, did: string, productName?: string, alias?: string, way: "user"|"qrcode", access: "control"|"read", guestMinutes?: number, status: "pending"|"accepted"|"rejected"|"expired"|"revoked", createdAt: number, expiresAt: number, updatedAt: number, acceptedAt?: number, inviter: {uid?: string, nickname?: string, username?: string, phone?: string, email?: string, type?: "phone"|"email"|"username"|"uid"|"anonymous", value?: string}, guest: {uid?: string, nickname?: string, username?: string, phone?: string, email?: string, type?: "phone"|"email"|"username"|"uid"|"anonymous", value?: string}, productKey: string, online?: boolean}>}
   */
  preview(params = {}) { return this.ask("share/preview", params); }

  /**
   * Accepts or rejects an invitation.
   *
   * An invitation by name is answered by its id, only by the invited user; an invitation by QR code is answered by its
   * text, by the first user to scan it. ResourceNotFound: unknown, or to another user. InvalidRequest: the caller's own
   * code. Expired: answered, revoked, or past its time. Duplicated: accepting while the device is bound already.
   * Forbidden: accepting if the device has 10,000 users or the caller 1,000 devices. TooManyRequests: after 5 unknown
   * codes in 15 minutes per user.
   * @param {{accept: boolean, sharingId?: string, qrText?: string}} params
   * @returns {Promise<{sharingId: string, did: string, status: "accepted"|"rejected"}>}
   */
  answer(params) { return this.ask("share/answer", params); }

  /**
   * Revokes an invitation.
   *
   * For the inviter; ResourceNotFound for all others, Expired for an invitation that was rejected, has expired or was
   * revoked. Revoking an accepted invitation ends that guest's binding.
   * @param {{sharingId: string}} params
   * @returns {Promise<Object<string, any>>}
   */
  revoke(params) { return this.ask("share/revoke", params); }

  /**
   * Transfers a device to one of its guests.
   *
   * The owner makes a guest the owner (with access control, without end) and is unbound (reason transferred). Guests
   * stay, and the invitations that let them in pass to the new owner; the invitation that let the new owner in, and
   * pending ones, are revoked. A new ownership period begins: the new owner sees nothing from before it. Forbidden: the
   * caller is not the owner. InvalidRequest: the caller's own uid. ResourceNotFound: no guest of the device.
   * @param {{did: string, uid: string}} params
   * @returns {Promise<Object<string, any>>}
   */
  transfer(params) { return this.ask("share/transfer", params); }
}

/** The services by name. */
export const SERVICES = { account: Account, app: App, device: Device, events: Events, home: Home, schedule: Schedule, session: Session, share: Share };
