import Domain
import Testing

@testable import Service

@Suite("Backups at an interval") struct BackupTaskTests {
    @Test("Names of backups sort by their time and read back; others are left alone")
    func names() {
        let now = Instant(milliseconds: 1_795_000_000_000)
        let name = BackupName.of(now)
        #expect(name.hasPrefix("lamplighter-2026") && name.hasSuffix("Z.backup"))
        #expect(BackupName.time(of: name) == now)
        #expect(BackupName.of(now.adding(seconds: 1)) > name)
        for other in [
            "lamplighter.backup", "x-\(name)", name + "2", "lamplighter-20261399T000000Z.backup",
        ] {
            #expect(BackupName.time(of: other) == nil, "\(other)")
        }
    }

    @Test(
        "Times of settings are read with their unit",
        arguments: [
            ("90s", 90), ("30m", 1800), ("12h", 43_200), ("1d", 86_400), ("d", nil), ("1", nil),
            ("-1d", nil), ("9999999999999999999d", nil), ("1w", nil), ("", nil),
        ] as [(String, Int?)]
    )
    func durations(_ text: String, _ seconds: Int?) {
        #expect(Setting.seconds(text) == seconds)
    }
}
