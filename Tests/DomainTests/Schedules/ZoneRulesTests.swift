import Domain
import Foundation
import TestKit
import Testing

@Suite("Time zone data")
struct ZoneRulesTests {
    @Test(
        "The rule at the end of the data agrees with the data where both apply",
        arguments: [
            "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Europe/Dublin", "America/Santiago",
            "Pacific/Auckland", "Asia/Tokyo", "America/Nuuk",
        ]
    )
    func footer(_ name: String) throws {
        let data = try #require(
            FileManager.default.contents(atPath: "/usr/share/zoneinfo/\(name)")
        )
        let zone = try #require(ZoneRules(file: Array(data)))
        let lines = data.split(separator: UInt8(ascii: "\n"))
        let footer = try #require(lines.last.flatMap { ZoneFooter(Array($0)) })

        // The zone file lists changes of the offset one by one, but none after 2037. The test compares the offsets in
        // the three years after that.
        for hour in 0..<26_280 {
            let seconds = 2_145_916_800 + Int64(hour) * 3600
            guard zone.offset(at: seconds) == footer.offset(at: seconds) else {
                Issue.record("\(name) at \(seconds)")
                return
            }
        }
    }

    @Test("Rules in all POSIX forms are read")
    func posix() throws {
        // Each row has a rule, and the expected UTC offsets in January and July, in minutes.
        let rows: [(String, Int64, Int64)] = [
            ("UTC0", 0, 0), ("<+0545>-5:45", 345, 345), ("EST5EDT,M3.2.0,M11.1.0", -300, -240),
            ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", 660, 630), ("IST-1GMT0,M10.5.0,M3.5.0/1", 0, 60),
            ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", -120, -60), ("AAA3BBB,J60/0,J300", -180, -120),
            ("AAA3BBB,59,299/25", -180, -120), ("<-03>3<-02>,M3.5.0/-2,M10.5.0/-1", -180, -120),
        ]
        for (text, january, july) in rows {
            let footer = try #require(ZoneFooter(Array(text.utf8)), "\(text)")
            let winter = utc("2050-01-15T12:00").milliseconds / 1000
            let summer = utc("2050-07-15T12:00").milliseconds / 1000
            #expect(footer.offset(at: winter) == january * 60, "\(text)")
            #expect(footer.offset(at: summer) == july * 60, "\(text)")
        }
        for text in [
            "", "5", "EST", "EST5EDT,", "EST5EDT,M3.2.0", "EST5EDT,M13.2.0,M11.1.0", "<EST5",
            "EST5EDT,M3.2.0,M11.1.0,", "EST5EDT,J0,J365",
        ] {
            #expect(ZoneFooter(Array(text.utf8)) == nil, "\(text)")
        }
    }

    @Test("Bytes that aren't zone data are refused, wherever they are truncated or changed")
    func broken() throws {
        let data = try #require(
            FileManager.default.contents(atPath: "/usr/share/zoneinfo/Europe/Berlin")
        )
        let bytes = Array(data)
        #expect(ZoneRules(file: []) == nil)
        #expect(ZoneRules(file: Array("TZif".utf8)) == nil)
        for length in stride(from: 0, to: bytes.count - 64, by: 7) {
            #expect(ZoneRules(file: Array(bytes.prefix(length))) == nil)
        }
        var random = Seed(7)
        for _ in 0..<2000 {
            var changed = bytes
            for _ in 0..<4 {
                changed[Int.random(in: 0..<200, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            // The result doesn't matter, as long as the parser doesn't crash.
            _ = ZoneRules(file: changed)?.first(local: 1_800_000_000)
        }
    }
}
