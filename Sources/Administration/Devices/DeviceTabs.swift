import Domain
import JSON
import Storage

/// The operations behind the tabs of a device's page.
enum DeviceTabs {
    static let all: [Operation] = [
        Operation("listTimeline", "GET", "devices/{did}/timeline", role: .viewer) { call in try Timeline(call).reply()
        }, Operation("listCommands", "GET", "devices/{did}/commands", role: .viewer, commands),
        Operation("listDeviceUsers", "GET", "devices/{did}/users", role: .viewer, users),
        Operation("listDeviceSchedules", "GET", "devices/{did}/schedules", role: .viewer) { call in
            try call.read { tx in
                let did = try DeviceOperations.device(call, in: tx).device.did
                let all = try tx.schedules.all(ofDevice: did)
                return Shown.page(try ScheduleView.rows(all, in: tx))
            }
        }, Operation("showHistory", "GET", "devices/{did}/history", role: .viewer) { call in try Chart(call).reply() },
        Operation(
            "exportHistory",
            "GET",
            "devices/{did}/history/export",
            role: .viewer,
            work: .blocking(HistoryTableText.reply)
        ),
    ]

    private static func commands(_ call: OperationCall) throws -> JSONObject {
        let (limit, before) = (try call.limit(), try call.cursor())
        return try call.read { tx in
            let device = try DeviceOperations.device(call, in: tx).device
            let product = try tx.products.find(device.productKey)
            let rows = try tx.commands.page(device.did, before: before, limit: limit + 1)
            let next = rows.count > limit ? String(rows[limit - 1].cid) : nil
            return Shown.page(rows.prefix(limit).map { CommandView.row($0, product: product) }, next: next)
        }
    }

    private static func users(_ call: OperationCall) throws -> JSONObject {
        try call.read { tx in
            let did = try DeviceOperations.device(call, in: tx).device.did
            let users = try tx.bindings.all(of: did).map { binding in
                let user = try tx.accounts.find(binding.uid)
                return JSONObject(showing: [
                    "uid": binding.uid, "name": user.map { UserView.name($0, isOpen: !call.isMasked) },
                    "role": binding.role.rawValue, "alias": Shown.name(binding.alias),
                    "access": binding.access.rawValue, "isSubscribed": binding.isSubscribed, "boundAt": binding.boundAt,
                    "guestUntil": binding.guestUntil,
                ])
            }
            let invitations = try tx.sharings.open(of: did).map { sharing in
                JSONObject(showing: [
                    "sharingId": sharing.id, "inviter": sharing.inviter, "guest": sharing.guest,
                    "way": sharing.way.rawValue, "status": sharing.status.rawValue, "createdAt": sharing.createdAt,
                    "expiresAt": sharing.expiresAt,
                ])
            }
            return JSONObject(showing: ["users": users, "invitations": invitations])
        }
    }
}
