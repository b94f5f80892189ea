import Glibc
import TestKit
import Testing

@testable import Mosquitto

@Suite("The library by itself", .tags(.broker), .endsInTime)
struct LibraryTests {
    @Test(
        "The library copies bytes with the C library's functions, which the program doesn't define",
        arguments: ["read", "write", "send", "recv", "writev", "readv"]
    )
    func calls(name: String) throws {
        let system = try #require(dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD))
        let address = try #require(dlsym(dlopen(nil, RTLD_NOW), name))

        #expect(address == dlsym(system, name))
    }

    @Test(
        "Acknowledgements are sent together once all are permitted, and while many are held back, no message is read"
    )
    func together() throws {
        let broker = try BrokerProcess()
        var client = try connect(broker.port, "keeper")
        try client.subscribe(["a/#"])
        var sender = try connect(broker.port)
        for number in 0..<900 {
            try sender.publish(topic: "a/\(number)", payload: [])
        }
        _ = try sender.confirmations()
        var intake = Intake()
        var count = 0
        while count < 900 {
            try client.receive(upTo: 900, linger: .seconds(1), wait: .seconds(1), into: &intake)
            count += intake.deliveries.count
        }

        client.acknowledge(899)
        try client.writePermitted()
        #expect(client.receiver.acknowledgementsHeld == 900)
        #expect(!client.receiver.hasOutput && client.receiver.mayRead)

        client.acknowledge(1)
        #expect(client.receiver.hasOutput && !client.receiver.mayRead)
        try client.writePermitted()
        #expect(!client.receiver.hasOutput && client.receiver.mayRead)
    }
}
