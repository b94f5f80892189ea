import Batching
import Testing

@Suite("Shards")
struct ShardTests {
    @Test(
        "An id's last two characters determine its shard",
        arguments: [
            ("d-0123456789a4f", 0x4f), ("a1b2c3d4e5f6", 0xf6), ("123456789012345", 0x45), ("4F", 0x4f), ("x", 0x08),
            ("", 0x00),
        ] as [(String, UInt8)]
    )
    func ofID(_ id: String, _ shard: UInt8) {
        #expect(Shard.of(id.utf8) == shard)
    }

    @Test(
        "Only topics to which clients publish get the shard after the root",
        arguments: [
            ("ll/v1/device/d-4f/report", "ll/v1/shard/4f/device/d-4f/report"),
            (
                "ll/v1/app/demo/abcd/request/device/bind",
                "ll/v1/shard/cd/app/demo/abcd/request/device/bind"
            ),
            ("ll/v1/product/aaaa/a1b2/register", "ll/v1/shard/b2/product/aaaa/a1b2/register"),
            ("ll/v1/system/presence/d-07", "ll/v1/shard/07/system/presence/d-07"),
            ("ll/v1/ha/l-07/d-4f/set", "ll/v1/shard/4f/ha/l-07/d-4f/set"), ("ll/v1/ha/l-07/d-4f/problem", nil),
            ("ll/v1/system/trigger/t-10", "ll/v1/shard/10/system/trigger/t-10"), ("ll/v1/device/d-4f/command", nil),
            ("ll/v1/app/demo/abcd/response", nil), ("ll/v1/system/session-invalid", nil),
            ("ll/v1/system/outbound/result", nil), ("ll/v1/user/u-1/device", nil), ("ll/v2/device/d-4f/report", nil),
            ("ll/v1", nil), ("ll/v1device/d-4f/report", nil),
        ] as [(String, String?)]
    )
    func topics(_ topic: String, _ divided: String?) {
        let result = Shard.divided(Array(topic.utf8), root: "ll/v1")
        #expect(result.map { String(decoding: $0, as: UTF8.self) } == divided)
    }

    @Test("Each shard belongs to one lane, and all lanes have the same number of shards", arguments: [1, 2, 8, 32])
    func lanes(
        _ count: Int
    ) {
        let lanes = (0..<count).map { Shards(lane: $0, of: count) }
        for shard in 0...UInt8.max {
            #expect(lanes.count { $0.contains(shard) } == 1)
        }
        #expect(lanes.allSatisfy { $0.members.count == 256 / count })
        #expect(lanes.flatMap(\.members).sorted() == Array(0...UInt8.max))
    }
}
