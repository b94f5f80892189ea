package import Domain
import JSON

/// Functions that read fields that several methods have: required ids, pages and base64 text.
extension Fields {
    /// Returns the required field `did`.
    package func did() throws(Rejection) -> DeviceID { try requiredID("did", as: DeviceID.self) }

    /// Whether the request has the field `did`.
    package var namesDevice: Bool { has("did") }

    /// Returns the required field `uid`.
    package func uid() throws(Rejection) -> UserID { try requiredID("uid", as: UserID.self) }

    /// Returns the required field `homeId`.
    package func homeID() throws(Rejection) -> HomeID {
        try requiredID("homeId", as: HomeID.self)
    }

    /// Returns the required field `scheduleId`.
    package func scheduleID() throws(Rejection) -> ScheduleID { try requiredID("scheduleId", as: ScheduleID.self) }

    /// Returns the required field `sharingId`.
    package func sharingID() throws(Rejection) -> SharingID { try requiredID("sharingId", as: SharingID.self) }

    /// Returns the required field `terminalId`.
    package func terminalID() throws(Rejection) -> TerminalID { try requiredID("terminalId", as: TerminalID.self) }

    /// Returns `limit`, the maximum number of rows on a page, or nil if the field is absent.
    package func pageLimit(max: Int64) throws(Rejection) -> Int? { try integer("limit", in: 1...max).map { Int($0) } }

    /// Returns how many rows of the list come before the page.
    ///
    /// The field `cursor` or the field `offset` contains this number. If both fields are absent, the number is 0.
    package func pageOffset() throws(Rejection) -> Int64 {
        guard let cursor = try text("cursor", length: 1...16) else {
            return try integer("offset", in: 0...JSONValue.integerMax) ?? 0
        }
        guard !has("offset") else { throw refuse("offset", "can't be combined with params.cursor") }
        guard let offset = Int64(cursor), (0...JSONValue.integerMax).contains(offset) else {
            throw refuse("cursor", "is not a cursor of this method")
        }
        return offset
    }

    /// Returns a base64 string of at most `binaryMax` characters, or nil if the field is absent.
    package func base64(_ name: String) throws(Rejection) -> String? {
        guard let value = object[name] else { return nil }
        guard let text = value.stringValue, !text.isEmpty, Base64Form.byteCount(text) != nil else {
            throw refuse(name, "must be base64 text")
        }
        guard text.utf8.count <= Payload.binaryMax else {
            throw refuse(name, "must have at most \(Payload.binaryMax) characters")
        }
        return text
    }
}
