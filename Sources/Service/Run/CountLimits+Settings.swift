import Workers

extension CountLimits {
    /// The bounds that settings say.
    init(_ settings: Settings) {
        self.init()
        codesPerTerminal = settings.limit("codesPerTerminal")
        codesPerSource = settings.limit("codesPerSource")
        mailsPerTerminal = settings.limit("mailsPerTerminal")
        mailsPerSource = settings.limit("mailsPerSource")
        anonymousPerTerminal = settings.limit("anonymousPerTerminal")
        anonymousPerSource = settings.limit("anonymousPerSource")
        namedPerTerminal = settings.limit("namedPerTerminal")
        namedPerSource = settings.limit("namedPerSource")
        namedPerApp = settings.limit("namedPerHour")
        sessionsPerTerminal = settings.limit("sessionsPerTerminal")
        hashesPerTerminal = settings.limit("hashesPerTerminal")
        hashesAtOnce = settings.limit("hashesAtOnce")
        hashesAtOncePerSource = settings.limit("hashesAtOncePerSource")
        providerCallsAtOnce = settings.limit("providerCallsAtOnce")
        providerCallsAtOncePerSource = settings.limit("providerCallsAtOncePerSource")
        readsAtOncePerSource = settings.limit("readsAtOncePerSource")
        registrationsPerSource = settings.limit("registrationsPerSource")
        registrationsPerProduct = settings.limit("registrationsPerProduct")
        unboundDays = settings.limit("unboundDays")
        bindTriesPerUser = settings.limit("bindTriesPerUser")
        bindTriesPerTerminal = settings.limit("bindTriesPerTerminal")
        bindTriesPerDevice = settings.limit("bindTriesPerDevice")
        rowsMax = settings.limit("countRows")
        requestRowsMax = settings.limit("requestRows")
        requestBytesMax = settings.limit("requestBytes")
        deadLetterBytesMax = settings.limit("deadLetterBytes")
    }
}
