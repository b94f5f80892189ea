import Domain
import JSON
import Storage
import Web

/// The console's search for devices, users, products and schedules.
enum SearchOperations {
    static let all: [Operation] = [Operation("search", "GET", "search", role: .viewer) { try search($0) }]

    /// The maximum number of rows of each kind that a search examines while an operator types.
    ///
    /// The kinds are devices, users and schedules.
    private static let scanMax = 20_000

    private static func search(_ call: OperationCall) throws -> JSONObject {
        let limit = Int(try call.integer("limit", in: 1...20, default: 5))
        let terms = try call.search()
        var found: JSONObject = ["devices": [], "users": [], "products": [], "schedules": []]
        guard !terms.terms.isEmpty else { return found }
        return try call.read { tx in
            let products = try tx.products.all()
            found["devices"] = .array(try devices(call, terms, products: products, limit: limit, in: tx))
            // Terms with keys, such as `name:` and `tag:`, apply only to devices.
            guard terms.terms.allSatisfy(\.key.isEmpty) else { return found }
            let page = PageWanted(limit: limit, scanMax: scanMax)
            found["users"] = try UserOperations.page(page, terms, for: call.caller.role, in: tx)["items"]
            found["products"] = .array(
                products.filter { terms.find(anyOf: [$0.key.text, $0.name]) }.prefix(limit).map {
                    ["productKey": .string($0.key.text), "name": .string($0.name)]
                }
            )
            found["schedules"] = try ScheduleOperations.page(page, terms, in: tx)["items"]
            return found
        }
    }

    private static func devices(
        _ call: OperationCall,
        _ terms: SearchTerms,
        products: [Product],
        limit: Int,
        in tx: Transaction
    ) throws -> [JSONValue] {
        let did = DeviceID(call.request.query["query"] ?? "")
        if let row = try did.flatMap({ try DeviceView.row(of: $0, in: tx) }) { return [.object(row)] }
        let search = try DeviceSearch(terms, products: products, at: call.now)
        let page = try FoundDevices(search, after: "", limit: limit, scanMax: scanMax, in: tx)
        return try DeviceView.rows(page.found, in: tx).map { .object($0) }
    }
}

/// A requested page of a list, and the maximum number of rows to examine for it.
struct PageWanted {
    /// The id after which the page begins.
    var after = ""
    let limit: Int
    let scanMax: Int

    /// Returns the matches and the id after which the next page begins; if the id is nil, no page follows.
    func rows<Row>(
        _ next: (_ after: String, _ limit: Int) throws -> [Row],
        id: (Row) -> String,
        fits: (Row) throws -> Bool
    ) throws -> (rows: [Row], next: String?) {
        let step = 500
        var (found, looked, last) = ([Row](), 0, after)
        while looked < scanMax {
            let page = try next(last, step)
            for row in page where found.count < limit {
                last = id(row)
                looked += 1
                if try fits(row) { found.append(row) }
            }
            guard page.count == step, found.count < limit else { break }
        }
        return (found, found.count == limit || looked >= scanMax ? last : nil)
    }
}
