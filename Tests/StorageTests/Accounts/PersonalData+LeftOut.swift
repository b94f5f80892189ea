@testable import Storage

extension PersonalData {
    /// The tables and columns (`table.column`) missing from the personal data, each with the reason.
    static let leftOut: [String: String] = {
        var out = [
            "meta": "facts about the installation",
            "product": "not about people", "listedMac": "not about people",
            "operator": "operators, who are no users",
            "operatorLink": "of operators", "operatorSession": "of operators",
            "operatorToken": "of operators",
            "providerUse": "whether providers work, of all users together",
            "app": "not about people", "service": "not about people",
            "device": "about the device, whichever user has it",
            "status": "about the device, whichever user has it",
            "tag": "about the device, whichever user has it",
            "history": "what devices reported; `lamplighter history export` gives it",
            "historyBuffer": "what devices reported; `lamplighter history export` gives it",
            "historyDay": "sums of what devices reported",
            "inbox": "ids of devices' reports", "dispatch": "which devices have commands waiting",
            "notice": "ids of broker messages that took effect", "zone": "time zones",
            "waiter": "where the answer to a command goes, until it has one",
            "outbox": "messages until the broker has them",
            "node": "processes that share the database", "lease": "which of them has which lane",
            "refresh": "which retained statuses are to be published again",
            "replan": "whose schedules are to be planned again",
            "deadLetter": "messages that could not be understood; not kept by person",
            "attempt": "counts of tries within a day, which limit them", "code": "hashes alone; not kept by person",
            "ticket": "hashes alone; not kept by person", "request": "answers, kept for ten minutes to be repeated",
            "refusal": "connections of clients that did not prove who they are", "account.deviceIdHash": "a hash",
            "account.passwordHash": "a hash", "session.tokenHash": "a hash", "session.oldTokenHash": "a hash",
            "session.oldTokenUntil": "of the hash",
            "session.cutOffAt": "when the broker had carried out the end, which `endedAt` has",
            "identity.accessToken": "a secret",
            "link.tokenHash": "a hash", "link.content": "a secret",
            "logoutCode.codeHash": "a hash", "sharing.addresseeHash": "a hash",
            "sharing.codeHash": "a hash", "schedule.secretAttrs": "a secret of the device",
            "command.secret": "a secret of the device", "command.uid": "the person",
            "apiKey": "servers of the app's maker", "eventSubscription": "servers of the app's maker",
            "oauthClient": "services that users can link", "oauthToken": "hashes alone",
            "homeAssistant": "what the person's Home Assistant was told of devices",
            "eventLog": "what other tables have, for the maker's servers, for some days",
            "pushAddress.address": "a secret of the terminal", "pushAddress.addressHash": "a hash",
            "command.trace": "the number under which the log has the request",
            "sharing.inviterUid": "of the two one is this person, the other is another",
            "sharing.guestUid": "of the two one is this person, the other is another",
        ]
        for column in ["usernameKey", "emailKey", "pendingEmailKey"] {
            out["account.\(column)"] = "the same in the form that is compared"
        }
        for column in ["command.seq", "event.seq", "audit.id"] { out[column] = "the row's number" }
        for table in ["command", "event"] {
            out["\(table).actorKind"] = "the person"
            out["\(table).actorId"] = "the person"
        }
        for column in ["actorId", "actorTerminal"] {
            out["audit.\(column)"] = "where it is the person's, `terminalId` has it"
        }
        for column in ["subject", "before", "after"] {
            out["audit.\(column)"] = "an operator's act on something else; one on the person has its name in `detail`"
        }
        for column in ["lastCid", "checkedTo"] { out["formerBinding.\(column)"] = "how far erasing would be" }
        // In the table `delivery`, the column `content` is sealed. The section `messages` contains the parts of each
        // row that aren't secret.
        for column in [
            "messageId", "channel", "dummy", "content", "terminalId", "tries", "told", "dueAt", "claimedBy",
            "error", "createdAt", "expiresAt",
        ] {
            out["delivery.\(column)"] = "in `messages`, without the content"
        }
        // The section `messageRecords` contains the rows of the table `messageRecord` for the hashes of the user's
        // addresses.
        for column in [
            "messageId", "channel", "address", "addressHash", "template", "appId", "provider",
            "state", "tries", "error", "createdAt", "endedAt",
        ] {
            out["messageRecord.\(column)"] = "in `messageRecords`"
        }
        for table in [
            "avatar", "identity", "session", "home", "homeDevice", "binding", "formerBinding",
            "schedule", "link", "logoutCode", "cancellation", "audit", "notification", "notificationSetting",
            "pushAddress",
        ] {
            out["\(table).uid"] = "the person"
        }
        return out
    }()
}
