import Mosquitto
import TestKit
import Testing
import Wire
import Workers

@testable import Service

@Suite("Verifying that a broker has the gate", .endsInTime)
struct GateProbeTests {
    @Test(
        "A worker's connection to a broker without the gate fails before any subscription",
        arguments: [0, 2]
    )
    func missing(_ outlets: Int) throws {
        let broker = try BrokerProcess()
        let options = ConnectionOptions(host: "127.0.0.1", port: broker.port, clientID: "worker")
        var connection = try MosquittoConnection(
            options,
            outlets: outlets,
            waker: Waker(),
            proof: GateProbe.proof(Topics(root: "ll/v1"))
        )

        #expect(throws: GateMissing.self) { _ = try connection.connect() }
    }
}
