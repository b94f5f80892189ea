package import JSON

/// The rules for transitions of a command's state.
///
/// The documentation describes these rules (reference: commands#life).
package enum CommandRules {
    /// Applies a device's answer to a command, and returns whether the command's state became final.
    ///
    /// A second answer doesn't change the command. The answer's values are treated like those of any report. An answer
    /// after the expiry is kept and marked as late, but the command stays expired. An answer to an unsent command has
    /// no effect on it (reference: commands#device).
    package static func answered(_ command: inout Command, code: Int64, data: JSONObject?, at now: Instant) -> Bool {
        switch command.state {
        case .sent where !command.isOver(at: now):
            command.turn(code == 0 ? .done : .failed, at: now, by: .device)
            command.code = code
            command.result = data
            return true
        case .sent:
            _ = expired(&command, at: now)
            keepLate(&command, code: code, data: data)
            return true
        case .expired where !command.isLate && command.wasSent:
            keepLate(&command, code: code, data: data)
            return false
        case .queued, .expired, .done, .failed, .superseded:
            return false
        }
    }

    /// Expires a command whose expiry time has passed, and returns whether the command changed.
    package static func expired(_ command: inout Command, at now: Instant) -> Bool {
        guard !command.state.isFinal, command.isOver(at: now) else { return false }
        command.turn(.expired, at: now, by: .system)
        return true
    }

    /// Gives the state `failed` to a command that must no longer be carried out.
    package static func refuse(_ command: inout Command, _ code: ErrorCode, at now: Instant) {
        command.turn(.failed, at: now, by: .system)
        command.refusal = code
    }

    /// Merges all queued commands into the newest one, with the newest value of each attribute.
    ///
    /// `waiting` is sorted by the commands' numbers. Commands of the mode `now` stay separate. If such a command came
    /// between two queued commands, the merged command doesn't contain the values that the first of the two set for the
    /// same attributes.
    package static func merged(_ waiting: [Command], at now: Instant) -> (outgoing: [Command], superseded: [Command]) {
        guard let newest = waiting.last(where: { $0.mode == .queue }) else { return (waiting, []) }
        let queued = waiting.filter { $0.mode == .queue }
        var merged = newest
        let older = waiting.filter { $0.cid <= newest.cid }
        merged.data = union(older, \.data)
        let values = union(older, \.values)
        merged.hidden = values == merged.data ? nil : values
        merged.binary = queued.compactMap(\.binary).last
        let superseded = queued.dropLast().map { command in
            var command = command
            command.turn(.superseded, at: now, by: .system)
            return command
        }
        let outgoing = waiting.compactMap { command -> Command? in
            guard command.mode == .queue else { return command }
            return command.cid == newest.cid ? merged : nil
        }
        return (outgoing, superseded)
    }

    /// Returns the queued commands that are superseded by newer ones, with their state changed to `superseded`.
    ///
    /// A command is superseded if newer queued commands set all of its attributes. The newer commands must have the
    /// same sender, and must not expire earlier. `waiting` is sorted by number. If the superseded commands are removed
    /// from `waiting`, `merged` still returns the same outgoing commands.
    package static func replaced(_ waiting: [Command], at now: Instant) -> [Command] {
        var set: [Value: Instant] = [:]
        var replaced: [Command] = []
        for command in waiting.reversed() where command.mode == .queue {
            let values = Value.all(of: command)
            if values.allSatisfy({ value in set[value].map { $0 >= command.expiresAt } ?? false }) {
                var command = command
                command.turn(.superseded, at: now, by: .system)
                replaced.append(command)
            } else {
                for value in values { set[value] = max(set[value] ?? command.expiresAt, command.expiresAt) }
            }
        }
        return replaced.reversed()
    }

    /// An attribute, with the sender that sets its value.
    private struct Value: Hashable {
        /// The party that sent the command, without the terminal from which the command came.
        var asker: Actor
        /// The user for whom a server sent the command.
        var beneficiary: UserID?
        /// The attribute's name in UTF-8, or nil if the value is the command's binary data.
        var name: [UInt8]?

        static func all(of command: Command) -> [Value] {
            let asker = Actor(command.actor.kind, command.actor.id)
            let names: [[UInt8]?] = command.data.members.map { Array($0.key.utf8) }
            return (command.binary == nil ? names : names + [nil]).map {
                Value(asker: asker, beneficiary: command.beneficiary, name: $0)
            }
        }
    }

    private static func union(_ commands: [Command], _ values: (Command) -> JSONObject) -> JSONObject {
        commands.reduce(into: [:]) { all, command in
            for member in values(command).members { all[member.key] = command.mode == .queue ? member.value : nil }
        }
    }

    private static func keepLate(_ command: inout Command, code: Int64, data: JSONObject?) {
        command.isLate = true
        command.code = code
        command.result = data
    }
}

extension Command {
    /// The unmasked values for the device.
    package var values: JSONObject { hidden ?? data }

    /// Whether the command was ever sent.
    ///
    /// A command without steps was stored by an earlier version of the service, and counts as sent.
    package var wasSent: Bool { steps.isEmpty || steps.contains { $0.state == .sent } }
}
