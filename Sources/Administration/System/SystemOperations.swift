import Domain
import JSON
import Logging
import Service
import ServiceSettings
import Storage
import Web
import Wire

/// The operations on the installation itself.
enum SystemOperations {
    static let all: [Operation] = [
        Operation("runDoctor", "GET", "system/doctor", role: .viewer, work: .waiting(doctor)),
        Operation("listWorkers", "GET", "system/workers", role: .viewer) { call in
            SystemView.workers(try call.service())
        },
        Operation("showStore", "GET", "system/store", role: .viewer) { call in try SystemView.store(call.service()) },
        Operation("listLimits", "GET", "system/limits", role: .viewer) { call in
            try SettingsView.limits(call.service().run, call.store)
        },
        Operation("listSettings", "GET", "system/config", role: .viewer) { call in
            SettingsView.all(call.context.settings)
        },
        Operation("listCertificates", "GET", "system/certificates", role: .viewer) { call in
            SystemView.certificates(try call.service().run, at: call.now)
        },
        Operation("listBackups", "GET", "system/backups", role: .viewer) { call in SystemView.backups(call.context) },
        Operation("makeBackup", "POST", "system/backups", role: .operator, backUp),
        Operation("checkpoint", "POST", "system/checkpoint", role: .operator) { call in
            try call.store.checkpoint()
            try call.note(Act(subject: "store"))
            return [:]
        },
        Operation("listLog", "GET", "system/log", role: .operator) { call in
            LogLines.shown(isMasked: call.isMasked)
        },
        Operation("showLogLevel", "GET", "system/logLevel", role: .viewer) { call in
            logLevel(call)
        }, Operation("setLogLevel", "PUT", "system/logLevel", role: .operator, setLogLevel),
        Operation(
            "makeSupportBundle",
            "GET",
            "system/supportBundle",
            role: .admin,
            work: .waiting(bundle)
        ),
    ]

    private static let logMinutes: ClosedRange<Int64> = 1...60
    private static let logMinutesDefault: Int64 = 10

    /// Runs the checks of `doctor` in the given groups.
    ///
    /// A check waits less than a second for an answer from the service.
    private static func examine(
        _ context: OperationContext,
        _ groups: [String] = Doctor.groups
    ) async throws -> [Finding] {
        let (settings, directory) = (context.settings, context.directory)
        let doctor = Doctor(settings: settings, directory: directory, isQuick: true, store: context.store)
        let findings = try await context.threads.run { doctor.examineBlocking(groups) }
        return findings + (await doctor.examine(groups.filter { $0 == "certificates" }))
    }

    private static func doctor(_ call: OperationCall) async throws -> Reply {
        guard let group = call.request.query["group"] else {
            return Reply(Doctor.jsonWithWords(try await examine(call.context)))
        }
        guard Doctor.groups.contains(group) else {
            let groups = Doctor.groups.joined(separator: ", ")
            throw Refused.invalid("group", "group must be one of \(groups).")
        }
        return Reply(Doctor.jsonWithWords(try await examine(call.context, [group])))
    }

    private static func backUp(_ call: OperationCall) throws -> JSONObject {
        let path = try BackupNow.make(call.service().run, from: call.store)
        try call.note(Act(subject: "backup", after: ["path": .string(path)]))
        return SystemView.backups(call.context)
    }

    // MARK: Log

    private static func logLevel(_ call: OperationCall) -> JSONObject {
        let configured = call.context.settings.logLevel
        let now = LogOverride.current
        let left = now.map { Int64($0.left / .milliseconds(1)) }
        return JSONObject(showing: [
            "level": now?.level.rawValue ?? configured, "configured": configured,
            "until": left.map { call.now.adding(milliseconds: $0) },
        ])
    }

    private static func setLogLevel(_ call: OperationCall) throws -> JSONObject {
        guard let level = call.body["level"]?.stringValue.flatMap(Logger.Level.init(rawValue:)) else {
            throw Refused.invalid("level", "level must be trace, debug, info, notice, warning or error.")
        }
        let minutes = try call.fields.integer("minutes", in: logMinutes) ?? logMinutesDefault
        LogOverride.set(level, for: .seconds(minutes * 60))
        var act = Act(subject: "log", before: ["level": .string(call.context.settings.logLevel)])
        act.after = ["level": .string(level.rawValue), "minutes": .integer(minutes)]
        try call.note(act)
        return logLevel(call)
    }

    // MARK: Support

    private static func bundle(_ call: OperationCall) async throws -> Reply {
        let context = call.context
        let service = try call.service()
        let findings = try await examine(context)
        try await context.threads.run { try call.note(Act(subject: "supportBundle")) }
        let files: [(String, JSONValue?)] = [
            ("version.json", ["version": .string(Version.text)]), ("doctor.json", Doctor.json(findings)),
            ("config.json", .object(SettingsView.all(context.settings))),
            ("workers.json", .object(SystemView.workers(service))),
            ("metrics.txt", .string(service.run.metrics.render())),
            ("log.txt", .string(LogTail.lines.joined(separator: "\n"))),
        ]
        return Reply(["contents": .array(files.map { .string($0.0) }), "files": .object(JSONObject(files))])
    }
}
