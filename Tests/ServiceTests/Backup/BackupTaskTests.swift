import Domain
import Testing

@testable import Service

@Suite("Backups at an interval") struct BackupTaskTests {
    @Test("Backup names sort by time and can be parsed, and other files are ignored")
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
}
