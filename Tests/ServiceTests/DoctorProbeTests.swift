import Domain
import Testing

@testable import Service

@Suite("The doctor's connection to the gate") struct DoctorProbeTests {
    private let probe = DoctorProbe(secret: "the service's")
    private let now = Instant(milliseconds: 1_700_000_000_000)

    private func refusal(_ clientID: String, username: String = "", action: String = "connect") -> ClientRefusal {
        ClientRefusal(
            action: action,
            username: username,
            clientID: clientID,
            address: "192.0.2.7",
            topic: nil,
            reason: "usernameMissing",
            at: now
        )
    }

    @Test("The doctor's connections are recognized for two minutes")
    func known() {
        let knock = refusal(probe.clientID(at: now))

        #expect(probe.isOurs(knock, at: now))
        #expect(probe.isOurs(knock, at: now.adding(seconds: 120)))
        #expect(!probe.isOurs(knock, at: now.adding(seconds: 180)))
        #expect(!probe.isOurs(knock, at: now.adding(seconds: -180)))
    }

    @Test("Refusals of other clients are not attributed to the doctor")
    func others() {
        let id = probe.clientID(at: now)
        let strange = [
            "doctor-stranger", "doctor-stranger.28333333.", "doctor-stranger..",
            String(id.dropLast()),
            id + ".", DoctorProbe(secret: "another").clientID(at: now),
            DoctorProbe(secret: nil).clientID(at: now),
        ]
        for id in strange { #expect(!probe.isOurs(refusal(id), at: now), "\(id)") }
        #expect(!probe.isOurs(refusal(id, username: "device:d-1"), at: now))
        #expect(!probe.isOurs(refusal(id, action: "publish"), at: now))
        #expect(!DoctorProbe(secret: nil).isOurs(refusal(id), at: now))
    }
}
