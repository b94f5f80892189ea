import TestKit
import Testing

@testable import Metering

@Suite("Penalties")
struct PenaltiesTests {
    private static let minute: Int64 = 60_000
    private static let hour: Int64 = 3_600_000

    @Test("The first pause is a minute, and each next pause is twice as long, up to an hour") func doubling() {
        var penalties = Penalties(pause: Self.minute)
        var now: Int64 = 0

        for minutes in [1, 2, 4, 8, 16, 32, 60, 60] as [Int64] {
            penalties.impose(on: "a", at: now)
            #expect(penalties.refuses("a", at: now + minutes * Self.minute - 1))
            #expect(!penalties.refuses("b", at: now))
            now += minutes * Self.minute
            #expect(!penalties.refuses("a", at: now))
        }
    }

    @Test("A client that behaves for an hour starts with a pause of a minute again")
    func forgetting() {
        var penalties = Penalties(pause: Self.minute)
        penalties.impose(on: "a", at: 0)
        penalties.impose(on: "a", at: 2 * Self.minute)
        #expect(penalties.refuses("a", at: 4 * Self.minute - 1))

        let later = 4 * Self.minute + Self.hour
        penalties.impose(on: "a", at: later)

        #expect(!penalties.refuses("a", at: later + Self.minute))
    }

    @Test("The number of remembered clients is limited, and those whose pause ends first are forgotten first")
    func bounded() {
        var penalties = Penalties(pause: Self.minute, limit: 3)

        for number in Int64(0)..<100 { penalties.impose(on: "k\(number)", at: number) }

        #expect(penalties.count == 3)
        #expect(penalties.refuses("k99", at: 100) && penalties.refuses("k97", at: 100))
        #expect(!penalties.refuses("k96", at: 100))
    }

    @Test("A pause of 0 refuses no client")
    func off() {
        var penalties = Penalties(pause: 0)
        penalties.impose(on: "a", at: 0)
        #expect(!penalties.refuses("a", at: 0))
    }

    @Test("An address is refused from its tenth closed connection within an hour")
    func closings() {
        var closings = Closings(limit: 10)

        let nine = (0..<9).map { closings.note("a", at: $0 * Self.minute) }
        let other = closings.note("b", at: 0)
        let tenth = closings.note("a", at: 9 * Self.minute)
        let within = closings.note("a", at: Self.hour - 1)
        // At this time, the first nine closings are more than an hour old.
        let later = closings.note("a", at: Self.hour + 9 * Self.minute)

        #expect(!nine.contains(true) && !other && tenth && within && !later)
        var off = Closings(limit: 0)
        let never = (0..<100).map { off.note("a", at: $0) }
        #expect(!never.contains(true))
    }

    @Test("The number of remembered addresses is limited")
    func manyAddresses() {
        var closings = Closings(limit: 2, addressesMax: 3)
        for number in Int64(0)..<10 { _ = closings.note("a\(number)", at: number) }

        let again = closings.note("a9", at: 20)
        #expect(again)
    }
}
