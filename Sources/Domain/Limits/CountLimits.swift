/// The limits of one terminal, one source address, one app and one product: below every quota, so that none can use
/// up the shares of others.
///
/// Each bound is a setting (`limits.` and its name) and a label of `lamplighter_limited_total`. A
/// source address is an IPv4 address or an IPv6 /64; connections from the machine itself have none.
package struct CountLimits: Sendable {
    // MARK: Codes

    /// Addresses to which one terminal has codes sent in an hour.
    ///
    /// A code costs money. Of an app's 1,000 an hour and a country's 200 one terminal gets at most
    /// 5 / 200 = 2.5 %, one address (20) a tenth; ten addresses are needed to use up one country.
    package var codesPerTerminal = 5
    /// Codes that one source address has sent in an hour.
    package var codesPerSource = 20

    /// Mails with links that one terminal has sent in an hour, to any addresses: each may reach a person who did
    /// not ask for it.
    package var mailsPerTerminal = 20
    /// Mails with links that one source address has sent in an hour.
    package var mailsPerSource = 100

    // MARK: Users

    /// New anonymous users of one terminal in a day: with a row of some 2 KB, 60 KB a day.
    package var anonymousPerTerminal = 30
    /// New anonymous users of one source address in an hour: 1,440 a day or 3 MB, where an app's
    /// 100,000 an hour could be had in ten seconds before.
    package var anonymousPerSource = 60
    /// New named users of one terminal in an hour.
    package var namedPerTerminal = 5
    /// New named users of one source address in an hour: 720 a day.
    package var namedPerSource = 30
    /// New named users of one app in an hour.
    package var namedPerApp = 100_000

    /// Logins of one terminal in an hour: each is a session that is remembered for 30 days.
    package var sessionsPerTerminal = 120

    // MARK: Hashes

    /// Passwords that one terminal has hashed in 15 minutes, including right ones; a password compared with
    /// several accounts counts once.
    ///
    /// At 30 ms a hash one terminal takes 0.6 s of a processor in 900 s. It is twice what wrong
    /// passwords alone may be (`Limits.passwordFailures`), so that it stops no guessing that those let
    /// through, but the flood of right ones.
    package var hashesPerTerminal = 20
    /// Hashes of one terminal that wait or run at once.
    package var hashesAtOnce = 2
    /// Hashes of one source address that wait or run at once: of a queue of 256 a thirty-second part.
    package var hashesAtOncePerSource = 8
    /// Calls to identity providers of one terminal at once.
    package var providerCallsAtOnce = 4
    /// Calls to identity providers of one source address at once: an eighth of all.
    package var providerCallsAtOncePerSource = 16
    /// Questions about the past of one source address that wait or run at once.
    package var readsAtOncePerSource = 32

    // MARK: Devices

    /// New devices of one product from one source address in a minute: a factory line makes fewer, and
    /// a flood of them 43,200 a day at most.
    package var registrationsPerSource = 30
    /// New devices of one product in an hour.
    package var registrationsPerProduct = 10_000
    /// The time for which a never-bound device is kept after it was last seen, in days.
    package var unboundDays = 30

    // MARK: Proofs

    /// Wrong proofs of one user for one device in 15 minutes; counts a user's wrong scanned codes likewise.
    package var bindTriesPerUser = 5
    /// Wrong proofs of one terminal for any devices in 15 minutes.
    package var bindTriesPerTerminal = 10
    /// Wrong proofs of all users for one device in 15 minutes; the text of the device's label is exempt.
    ///
    /// A passcode of the least length, 6 digits, is one of 10^6: 50 tries in 15 minutes are 4,800 a
    /// day, so half of them are tried in 104 days of strangers' tries without a pause; of 6 letters
    /// and digits (5.7 * 10^10) in 16,000 years.
    package var bindTriesPerDevice = 50
    /// Invitations that one terminal looks at in an hour before it answers them.
    package var previewsPerTerminal = 30

    // MARK: The cost of counting

    /// Rows of counts that are kept; beyond it those that end first are deleted.
    ///
    /// Some 120 bytes each: 120 MB.
    package var rowsMax = 1_000_000
    /// Requests that are remembered for repeats.
    ///
    /// At the gate's 20 a second one terminal has 12,000 in the ten
    /// minutes; some 300 bytes each: 600 MB.
    package var requestRowsMax = 2_000_000
    /// Bytes of remembered requests with their answers: 512 MiB.
    ///
    /// An answer may take a whole payload of 64 KiB, as one to a query that waited for its device: at the gate's
    /// 20 a second one terminal has 768 MB of these in the ten minutes.
    package var requestBytesMax = 512 << 20
    /// Bytes of dead letters, as received.
    package var deadLetterBytesMax = 64 << 20
    /// Lines of the audit trail about failures of one terminal in 15 minutes: the trail is kept for good, and
    /// repeated failures add no information.
    package var failuresNoted = 20

    /// Uses the limits that hold unless settings change them.
    package init() {}
}
