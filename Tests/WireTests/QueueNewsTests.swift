import Domain
import Testing
import Wire

@Suite("The gate's notices about queues")
struct QueueNewsTests {
    private func missed(_ text: String) -> QueueNewsCodec.Missed? {
        try? QueueNewsCodec.decode(missed: Make.bytes(text))
    }

    @Test("A notice names some devices, or all devices of a user")
    func missed() throws {
        let some = #"{"terminalId":"t","uid":"u-1","dids":["d-1","d-2"],"all":false,"ts":1}"#
        let dids = [DeviceID(trusted: "d-1"), DeviceID(trusted: "d-2")]
        let uid = UserID(trusted: "u-1")
        #expect(missed(some)?.uid == uid && missed(some)?.dids == dids)
        let all = try #require(missed(#"{"uid":"u-1","dids":[],"all":true,"ts":1}"#))
        #expect(all.uid == uid && all.dids == nil)
        #expect(missed(#"{"dids":[],"all":true,"ts":1}"#) == nil)
        #expect(missed(#"{"uid":"u-1","dids":["d 1"],"ts":1}"#) == nil)
    }

    @Test("A notice names at most 200 clients")
    func owed() throws {
        func clients(_ count: Int) -> [String]? {
            let list = (0..<count).map { "\"c\($0)\"" }.joined(separator: ",")
            return try? QueueNewsCodec.decode(
                sessionOwed: Make.bytes("{\"clientIds\":[\(list)]}")
            )
        }
        #expect(clients(200)?.count == 200)
        #expect(clients(201) == nil)
        #expect((try? QueueNewsCodec.decode(sessionOwed: Make.bytes("{}"))) == nil)
    }
}
