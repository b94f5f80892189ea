import Glibc
import Mosquitto
import PlainSubscriber

/// A program that receives messages, reports their number on standard output, and waits until a test kills it.
///
/// The arguments are the broker's port, the client id, the number of messages, and a mode. With `held`, the program
/// waits before it flushes the acknowledgements. With `flushed`, the program waits after the flush. With `plain`, the
/// program uses the library's own loop instead of `MosquittoClient`.
@main
struct Probe {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 5, let port = Int(arguments[1]), let count = Int(arguments[3]) else { exit(64) }
        let options = ConnectionOptions(host: "127.0.0.1", port: port, clientID: arguments[2])
        if arguments[4] == "plain" {
            try runPlain(options, count)
        } else {
            try run(options, count, flushes: arguments[4] == "flushed")
        }
    }

    private static func run(_ options: ConnectionOptions, _ count: Int, flushes: Bool) throws {
        var client = try MosquittoClient(options, waker: Waker())
        _ = try client.connect()
        try client.subscribe(["probe/#"])
        say("subscribed")
        var intake = Intake()
        var received = 0
        while received < count {
            try client.receive(
                upTo: count,
                linger: .seconds(1),
                wait: .seconds(1),
                into: &intake
            )
            received += intake.deliveries.count
        }
        if flushes {
            // This message is sent after the acknowledgements. So its confirmation proves that the broker has read
            // them.
            try client.publish(topic: "after", payload: [])
            while client.unconfirmed > 0 {
                try client.flush()
                try client.receive(
                    upTo: 1,
                    linger: .seconds(1),
                    wait: .seconds(1),
                    into: &intake
                )
            }
        }
        say("received \(received)")
        while true { pause() }
    }

    private static func runPlain(_ options: ConnectionOptions, _ count: Int) throws {
        var client = try PlainSubscriber(options, filters: ["probe/#"])
        while !client.isSubscribed { try client.loop() }
        say("subscribed")
        while client.received < count { try client.loop() }
        // The answer to the new subscription proves that the broker has read all earlier acknowledgements.
        try client.roundTrip("after/#")
        say("received \(client.received)")
        while true { pause() }
    }

    private static func say(_ line: String) {
        print(line)
        fflush(nil)
    }
}
