import Administration
import ArgumentParser
import Domain
import JSON
import Problems
import Sodium
import Storage
import Workers

extension OperatorTokenCommand {
    func validate() throws {
        guard (1...OperatorSignIn.tokenDaysMax).contains(days) else {
            throw ValidationError("--days takes 1 to \(OperatorSignIn.tokenDaysMax), not \(days)")
        }
        guard (1...64).contains(label.unicodeScalars.count) else {
            throw ValidationError("--label takes 1 to 64 characters")
        }
    }

    func run() async throws {
        let place = try await CommandContext.open(settings)
        let found = try place.oneOperator(name)
        if list { return try showAll(of: found, place) }
        if let revoke { return try end(revoke, of: found, place) }
        let role = min(role ?? found.role, found.role)
        let now = SystemClock().now
        let token = OperatorToken(
            id: "ot-" + Sodium.base64URL(Sodium.randomBytes(9)),
            label: label,
            name: found.name,
            role: role,
            createdAt: now,
            expiresAt: now.adding(seconds: days * 86_400)
        )
        let secret = Sodium.randomSecret()
        try place.store.batch(at: now, once: true) { tx in
            guard try tx.operators.tokens(of: found.name).count < Operator.tokensMax else {
                throw Problem.tooManyTokens(name: found.name, count: Operator.tokensMax)
            }
            try tx.operators.add(token, secret: secret)
            try tx.audit.add(.act("makeToken", subject: "token \(token.id)"))
        }
        if output.json {
            let row = JSONValue.object(OperatorOperations.row(token))
            return Terminal.show(["token": .string(secret), "row": row])
        }
        Terminal.show(line: secret)
        Terminal.tell("Token \(token.id) of \(found.name) (\(role.rawValue)); no later command shows it.")
    }

    private func showAll(of found: Operator, _ place: CommandContext) throws {
        let tokens = try place.store.read { try $0.operators.tokens(of: found.name) }
        let rows = tokens.map(OperatorOperations.row)
        if output.json { return Terminal.show(.object(Shown.page(rows))) }
        Terminal.show(
            rows,
            [
                Column("TOKEN", "tokenId"), Column("FOR", "name"), Column("ROLE", "role"), .moment("MADE", "createdAt"),
                .moment("UNTIL", "expiresAt"), .moment("LAST USED", "lastUsedAt"),
            ]
        )
    }

    private func end(_ id: String, of found: Operator, _ place: CommandContext) throws {
        let isGone = try place.store.batch(at: SystemClock().now, once: true) { tx in
            guard try tx.operators.token(id)?.name == found.name else { return false }
            try tx.audit.add(.act("revokeToken", subject: "token \(id)"))
            return try tx.operators.removeToken(id)
        }
        guard isGone else { throw Problem.noToken(name: found.name, id: id) }
        if output.json { return Terminal.show(["revoked": .string(id)]) }
        print("token \(id) is revoked")
    }
}
