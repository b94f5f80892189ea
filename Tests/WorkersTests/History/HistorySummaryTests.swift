import Domain
import JSON
import Storage
import Testing
import Wire

@testable import Workers

@Suite("Summaries of history by steps")
struct HistorySummaryTests: HistorySuite {
    @Test("With an attribute only its values are returned, and the aggregates are those of the steps")
    func summaries() throws {
        let world = try world()
        // The clock shows 22:13:20, but each one-hour step begins at a full hour.
        try append(
            world,
            [
                (0, ["level": 1]), (10, ["power": true]), (20, ["level": 3, "power": false]), (2799, ["level": 8]),
                (2800, ["level": 10]), (9999, ["level": 2]),
            ]
        )
        let plain = try ask(world, "history", span(world, ["attr": "level"]))
        #expect(rows(plain).compactMap { $0["value"]?.intValue } == [1, 3, 8, 10, 2])
        let wanted: [(String, [JSONValue])] = [
            ("avg", [4.0, 10.0, 2.0]), ("min", [1, 10, 2]), ("max", [8, 10, 2]), ("sum", [12, 10, 2]),
            ("count", [3, 1, 1]), ("first", [1, 10, 2]), ("last", [8, 10, 2]),
        ]
        for (function, values) in wanted {
            let answer = try ask(
                world,
                "history",
                span(world, ["attr": "level", "every": "1h", "fn": .string(function)])
            )
            #expect(rows(answer).compactMap { $0["value"] } == values, "\(function)")
        }
        let all = try ask(world, "history", span(world, ["every": "1h", "fn": "last"]))
        #expect(rows(all).first?["data"] == ["level": 8, "power": false])
        let begin = world.clock.now.milliseconds / 3_600_000 * 3_600_000
        #expect(rows(all).first?["ts"] == .integer(begin))
    }

    @Test("Pages of sums continue with the next step")
    func summaryPages() throws {
        let world = try world()
        try append(world, (0..<300).map { (Int64($0) * 60, ["level": .integer(Int64($0))]) })
        var cursor: JSONValue?
        var count: Int64 = 0
        var pages = 0
        repeat {
            let params: JSONObject = ["every": "7m", "fn": "count", "limit": 10, "attr": "level", "cursor": cursor]
            let answer = try ask(world, "history", span(world, params))
            count += rows(answer).reduce(0) { $0 + ($1["value"]?.intValue ?? 0) }
            cursor = answer["result"]?.objectValue?["cursor"]
            pages += 1
        } while cursor != nil
        #expect(count == 300 && pages == 5)
    }

    @Test("An answer examines a limited number of records, and its cursor leads to the rest") func scanMax() throws {
        var limits = Limits()
        limits.historyScanMax = 100
        let world = try world(limits: limits)
        try append(world, (0..<300).map { (Int64($0), ["level": 1]) })
        var params: JSONObject = ["every": "1m", "fn": "count", "attr": "level"]
        var counts: [Int64] = []
        repeat {
            let answer = try ask(world, "history", span(world, params))
            let page = rows(answer).compactMap { $0["value"]?.intValue }
            #expect(answer.isOK && page.reduce(0, +) <= 100)
            counts += page
            params["cursor"] = answer["result"]?.objectValue?["cursor"]
        } while params["cursor"] != nil && counts.count < 10
        #expect(counts.reduce(0, +) == 300)
    }

    @Test(
        "Steps without a requested value are skipped page by page, and a single step that is too large is refused"
    )
    func emptySteps() throws {
        var limits = Limits()
        limits.historyScanMax = 20_000
        let world = try world(limits: limits)
        let others = (0..<45_000).map { (Int64($0), ["level": 1] as JSONObject) }
        try append(world, others + [(60_000, ["power": true])])
        var params: JSONObject = ["every": "1h", "fn": "count", "attr": "power"]
        var found: [Int64] = []
        var pages = 0
        repeat {
            let answer = try ask(world, "history", span(world, params))
            #expect(answer.isOK)
            found += rows(answer).compactMap { $0["value"]?.intValue }
            params["cursor"] = answer["result"]?.objectValue?["cursor"]
            pages += 1
        } while params["cursor"] != nil && pages < 50
        #expect(found == [1] && pages == 3)
        // The first answer skips the day in which the range begins. The next day alone has more records than the
        // service reads for one answer.
        params = ["every": "1d", "fn": "count", "attr": "power"]
        let day = try ask(world, "history", span(world, params))
        #expect(day.isOK && rows(day).isEmpty)
        params["cursor"] = day["result"]?.objectValue?["cursor"]
        #expect(try ask(world, "history", span(world, params)).errorField == "params.every")
    }
}
