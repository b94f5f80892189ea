import Testing

@testable import Providers

@Suite("The circuit breaker")
struct BreakerTests {
    private let start = ContinuousClock.now
    private let limits = Breaker.Limits(failuresMax: 3, pause: .seconds(30), callsMax: 2)

    private func fail(_ breaker: inout Breaker, at time: ContinuousClock.Instant) {
        guard case .call(let isProbe) = breaker.enter(at: time) else { return }
        breaker.leave(.failed, isProbe: isProbe, at: time)
    }

    @Test("The breaker opens after several failures in a row, and lets a call through after a while") func opening() {
        var breaker = Breaker(limits)
        for _ in 0..<3 { fail(&breaker, at: start) }

        #expect(breaker.enter(at: start) == .refused(retryAfter: 31))
        #expect(breaker.enter(at: start + .seconds(29)) == .refused(retryAfter: 2))
        #expect(breaker.enter(at: start + .seconds(30)) == .call(isProbe: true))
        #expect(breaker.enter(at: start + .seconds(30)) == .refused(retryAfter: 1))
    }

    @Test("The breaker closes if the probe succeeds, and otherwise stays open")
    func probe() {
        var breaker = Breaker(limits)
        for _ in 0..<3 { fail(&breaker, at: start) }
        let later = start + .seconds(30)

        fail(&breaker, at: later)
        #expect(breaker.enter(at: later + .seconds(1)) == .refused(retryAfter: 30))

        #expect(breaker.enter(at: later + .seconds(31)) == .call(isProbe: true))
        breaker.leave(.answered, isProbe: true, at: later + .seconds(31))
        #expect(breaker.enter(at: later + .seconds(31)) == .call(isProbe: false))
    }

    @Test("A success resets the count")
    func inBetween() {
        var breaker = Breaker(limits)
        for _ in 0..<2 { fail(&breaker, at: start) }
        #expect(breaker.enter(at: start) == .call(isProbe: false))
        breaker.leave(.answered, isProbe: false, at: start)
        for _ in 0..<2 { fail(&breaker, at: start) }

        #expect(breaker.enter(at: start) == .call(isProbe: false))
    }

    @Test("The number of concurrent calls is limited")
    func calls() {
        var breaker = Breaker(limits)
        for _ in 0..<2 { #expect(breaker.enter(at: start) == .call(isProbe: false)) }

        #expect(breaker.enter(at: start) == .refused(retryAfter: 1))
        breaker.leave(.answered, isProbe: false, at: start)
        #expect(breaker.enter(at: start) == .call(isProbe: false))
    }

    @Test("After an abandoned probe, the next call is let through")
    func givenUp() {
        var breaker = Breaker(limits)
        for _ in 0..<3 { fail(&breaker, at: start) }
        let later = start + .seconds(40)

        #expect(breaker.enter(at: later) == .call(isProbe: true))
        breaker.leave(.cancelled, isProbe: true, at: later)
        #expect(breaker.enter(at: later) == .call(isProbe: true))
    }
}
