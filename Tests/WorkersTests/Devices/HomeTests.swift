import Domain
import JSON
import Storage
import Testing

@testable import Workers

@Suite("Homes")
struct HomeTests {
    @Test("Homes that don't fit in one answer are divided into pages, each home once")
    func pages() throws {
        let world = try World(devices: 1, online: false, users: 1, bound: 1)
        // JSON writes each of these control characters as six bytes.
        let name = String(repeating: "\u{1}", count: 64)
        let ids = (100..<400).map { HomeID(trusted: "h-\($0)") }
        try world.write { (tx) throws in
            for id in ids {
                try tx.homes.save(Home(id: id, uid: World.uid(0), name: name, place: nil, createdAt: tx.now))
            }
        }
        var listed: [String] = []
        var offset: Int64? = 0
        while let start = offset {
            world.sendRequest(0, "home/list", id: "l\(start)", ["offset": .integer(start)])
            try world.runControl()
            let answer = try #require(world.answers().last)
            #expect(answer.encoded().count <= 64 << 10)
            let result = try #require(answer["result"]?.objectValue)
            listed += (result["homes"]?.arrayValue ?? [])
                .compactMap { $0.objectValue?["homeId"]?.stringValue }
            offset = try result["cursor"].map { try #require(Int64($0.stringValue ?? "")) }
            #expect(offset.map { $0 > start } ?? true)
        }
        #expect(world.answers().count > 1)
        #expect(listed == ids.map(\.text))
    }
}
