package import Domain
import JSON

extension Fields {
    /// Returns `limit`, the most rows of the page, or nil if absent.
    package func pageLimit(max: Int64) throws(Rejection) -> Int? {
        try integer("limit", in: 1...max).map { Int($0) }
    }

    /// Returns the number of rows before the page, from `cursor` or `offset`; 0 if both are absent.
    package func pageOffset() throws(Rejection) -> Int64 {
        guard let cursor = try text("cursor", length: 1...16) else {
            return try integer("offset", in: 0...JSONValue.integerMax) ?? 0
        }
        guard !has("offset") else { throw refuse("offset", "stands in place of params.cursor") }
        guard let offset = Int64(cursor), (0...JSONValue.integerMax).contains(offset) else {
            throw refuse("cursor", "is not a cursor of this method")
        }
        return offset
    }
}
