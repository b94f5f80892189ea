import Administration
import JSON
import Storage

/// The tables that `migrate --to` has copied.
struct MovedTables {
    private let tables: [StoreMove.Table]
    private let place: String

    init(_ tables: [StoreMove.Table], to place: String) {
        self.tables = tables.sorted { $0.name < $1.name }
        self.place = place
    }

    func show(_ output: OutputOptions) {
        guard !output.json else { return Terminal.show(json) }
        var shown = TextTable(["TABLE", "ROWS", "CHECKSUM"])
        for table in tables { shown.add([table.name, "\(table.sum.rows)", Self.text(table.sum.checksum)]) }
        print(shown.text)
        print("\(place) contains all data, equal in every table")
    }

    private var json: JSONValue {
        let rows = tables.map { table in
            JSONObject(showing: ["name": table.name, "rows": table.sum.rows, "checksum": Self.text(table.sum.checksum)])
        }
        return JSONObject(showing: ["moved": place, "tables": rows]).shown
    }

    private static func text(_ checksum: UInt64) -> String {
        let digits = String(checksum, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
