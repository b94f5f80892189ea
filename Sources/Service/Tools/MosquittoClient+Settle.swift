import Mosquitto

extension MosquittoClient {
    /// Sends what is queued and waits until the broker has confirmed all of it, at most five seconds.
    ///
    /// - Throws: `MosquittoError`.
    mutating func settle() throws {
        var intake = Intake()
        let deadline = ContinuousClock.now + .seconds(5)
        try flush()
        while unconfirmed > 0 && ContinuousClock.now < deadline {
            try receive(upTo: 100, linger: .zero, wait: .milliseconds(200), into: &intake)
            try flush()
        }
    }
}
