/// The limits of one terminal, source address, app and product.
///
/// They are below every quota, so that none can use up the shares of others. Each is a setting
/// (`limits.` and its name) and a label of `lamplighter_limited_total`. A source address is an IPv4
/// address or an IPv6 /64; connections from the machine itself have none.
package struct CountLimits: Sendable {
    // MARK: Codes

    /// The maximum number of addresses to which one terminal has codes sent in an hour.
    ///
    /// A code costs money. Of an app's 1,000 an hour and a country's 200, one terminal gets at most
    /// 5 / 200 = 2.5 % and one source address (20) a tenth; it takes ten source addresses to use up
    /// one country.
    package var codesPerTerminal = 5
    /// The maximum number of codes that one source address has sent in an hour.
    package var codesPerSource = 20

    /// The maximum number of mails with links that one terminal has sent in an hour, to any
    /// addresses: each may reach a person who did not request it.
    package var mailsPerTerminal = 20
    /// The maximum number of mails with links that one source address has sent in an hour.
    package var mailsPerSource = 100

    // MARK: Users

    /// The maximum number of new anonymous users of one terminal in a day: 60 KB of rows.
    package var anonymousPerTerminal = 30
    /// The maximum number of new anonymous users of one source address in an hour: 1,440 a day or 3
    /// MB.
    ///
    /// Without it, one address could use up an app's 100,000 an hour in ten seconds.
    package var anonymousPerSource = 60
    /// The maximum number of new named users of one terminal in an hour.
    package var namedPerTerminal = 5
    /// The maximum number of new named users of one source address in an hour: 720 a day.
    package var namedPerSource = 30
    /// The maximum number of new named users of one app in an hour.
    package var namedPerApp = 100_000

    /// The maximum number of logins of one terminal in an hour: sessions are kept for 30 days.
    package var sessionsPerTerminal = 120

    // MARK: Hashes

    /// The maximum number of passwords that one terminal has hashed in 15 minutes, including right
    /// ones; a password compared with several accounts counts once.
    ///
    /// At 30 ms a hash, one terminal takes 0.6 s of a processor in 900 s. It is twice the limit of
    /// wrong passwords (`Limits.passwordFailures`), so it stops no guesses within that limit, only
    /// a flood of right passwords.
    package var hashesPerTerminal = 20
    /// The maximum number of hashes of one terminal that wait or run at once.
    package var hashesAtOnce = 2
    /// The maximum number of hashes of one source address that wait or run at once, of all 256.
    package var hashesAtOncePerSource = 8
    /// The maximum number of calls to identity providers of one terminal at once.
    package var providerCallsAtOnce = 4
    /// The maximum number of calls to identity providers of one source address at once, of all 128.
    package var providerCallsAtOncePerSource = 16
    /// The maximum number of long reads of one source address that wait or run at once.
    package var readsAtOncePerSource = 32

    // MARK: Devices

    /// The maximum number of new devices of one product from one source address in a minute: a
    /// factory line makes fewer, and a flood at most 43,200 a day.
    package var registrationsPerSource = 30
    /// The maximum number of new devices of one product in an hour.
    package var registrationsPerProduct = 10_000
    /// The time for which a never-bound device is kept after it was last seen, in days.
    package var unboundDays = 30

    // MARK: Proofs

    /// The maximum number of wrong proofs of one user for one device in 15 minutes, and the most
    /// wrong scanned codes of one user.
    package var bindTriesPerUser = 5
    /// The maximum number of wrong proofs of one terminal for any devices in 15 minutes.
    package var bindTriesPerTerminal = 10
    /// The maximum number of wrong proofs of all users for one device in 15 minutes; the text of
    /// the device's label is exempt.
    ///
    /// A passcode of the minimum length, 6 digits, is one of 10^6: 50 tries in 15 minutes are 4,800
    /// a day, so strangers try half of them in 104 days without a pause; of 6 letters and digits
    /// (5.7 * 10^10), in 16,000 years.
    package var bindTriesPerDevice = 50
    /// The maximum number of invitations that one terminal previews in an hour.
    package var previewsPerTerminal = 30

    // MARK: The cost of counting

    /// The maximum number of rows of counts that are kept; beyond it, those that end first are
    /// deleted.
    ///
    /// Each takes some 120 bytes: 120 MB.
    package var rowsMax = 1_000_000
    /// The maximum number of requests that are remembered for repeats.
    ///
    /// At the gate's 20 a second one terminal has 12,000 in the ten minutes. Each takes some 300
    /// bytes: 600 MB.
    package var requestRowsMax = 2_000_000
    /// The maximum number of bytes of remembered requests with their answers: 512 MiB.
    ///
    /// An answer can fill a payload of 64 KiB, such as one to a query that waited for its device:
    /// at the gate's 20 a second one terminal has 768 MB of these in the ten minutes.
    package var requestBytesMax = 512 << 20
    /// The maximum number of bytes of dead letters, as received.
    package var deadLetterBytesMax = 64 << 20
    /// The maximum number of lines of the audit trail about failures of one terminal in 15 minutes:
    /// the trail is kept for good, and repeated failures add no information.
    package var failuresNoted = 20

    /// Uses the default limits.
    package init() {}
}
