import Domain
import JSON
import Storage

/// The tabs of a device's page.
enum DeviceTabs {
    static let all: [Operation] = [
        Operation("listTimeline", "GET", "devices/{did}/timeline", role: .viewer) { call in
            try Timeline(call).reply()
        }, Operation("listCommands", "GET", "devices/{did}/commands", role: .viewer, commands),
        Operation("listDeviceUsers", "GET", "devices/{did}/users", role: .viewer, users),
        Operation("listDeviceSchedules", "GET", "devices/{did}/schedules", role: .viewer) { call in
            try call.read { tx in
                let did = try DeviceOperations.device(call, in: tx).device.did
                let all = try tx.schedules.all(ofDevice: did)
                return Reply(Shown.page(try ScheduleView.rows(all, in: tx)))
            }
        },
        Operation("showHistory", "GET", "devices/{did}/history", role: .viewer) { call in
            try Chart(call).reply()
        },
        Operation("exportHistory", "GET", "devices/{did}/history/export", role: .viewer) { call in
            try HistoryTableText.reply(call)
        },
    ]

    private static func commands(_ call: OperationCall) throws -> Reply {
        let (limit, before) = (try call.limit(), try call.cursor())
        return try call.read { tx in
            let device = try DeviceOperations.device(call, in: tx).device
            let product = try tx.products.find(device.productKey)
            let rows = try tx.commands.page(device.did, before: before, limit: limit + 1)
            let next = rows.count > limit ? rows[limit - 1].cid : nil
            return Reply(
                Shown.page(
                    rows.prefix(limit).map { CommandView.row($0, product: product) },
                    next: next.map { String($0) }
                )
            )
        }
    }

    private static func users(_ call: OperationCall) throws -> Reply {
        try call.read { tx in
            let did = try DeviceOperations.device(call, in: tx).device.did
            let users = try tx.bindings.all(of: did).map { binding in
                JSONValue.object([
                    "uid": .string(binding.uid.text),
                    "name": try tx.accounts.find(binding.uid).map {
                        .string(UserView.name($0, isOpen: !call.isMasked))
                    }, "role": .string(binding.role.rawValue),
                    "alias": binding.alias.isEmpty ? nil : .string(binding.alias),
                    "access": .string(binding.access.rawValue),
                    "isSubscribed": .bool(binding.isSubscribed),
                    "boundAt": Shown.moment(binding.boundAt),
                    "guestUntil": binding.guestUntil.map(Shown.moment),
                ])
            }
            let invitations = try tx.sharings.open(of: did).map { sharing in
                JSONValue.object([
                    "sharingId": .string(sharing.id.text),
                    "inviter": .string(sharing.inviter.text),
                    "guest": sharing.guest.map { .string($0.text) },
                    "way": .string(sharing.way.rawValue),
                    "status": .string(sharing.status.rawValue),
                    "createdAt": Shown.moment(sharing.createdAt),
                    "expiresAt": Shown.moment(sharing.expiresAt),
                ])
            }
            return Reply(["users": .array(users), "invitations": .array(invitations)])
        }
    }
}
