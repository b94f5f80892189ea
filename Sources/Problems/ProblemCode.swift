/// The stable codes of everything that can be wrong, with the page that `explain` shows.
///
/// 10xx: starting; 11xx: configuration; 12xx: data and documents; 13xx: findings of `doctor`;
/// 19xx: the rest. A code is never given a new meaning.
package enum ProblemCode: String, CaseIterable, Sendable {
    case dataDirectoryUnusable = "LL1001"
    case dataDirectoryInUse = "LL1002"
    case portTaken = "LL1003"
    case mosquittoMissing = "LL1004"
    case brokerFailed = "LL1005"
    case gateMissing = "LL1006"
    case databaseTooNew = "LL1007"
    case databaseFailed = "LL1008"
    case brokerUnreachable = "LL1009"
    case notStarted = "LL1010"
    case diskFull = "LL1011"
    case certificateUnusable = "LL1012"
    case certificateKeyMismatch = "LL1013"
    case certificateForeign = "LL1014"
    case listenerOpen = "LL1015"
    case gateNotLoaded = "LL1016"
    case databaseUnreachable = "LL1017"
    case databaseReadOnly = "LL1018"
    case databaseRefused = "LL1019"
    case databaseDurability = "LL1020"
    case databaseEncoding = "LL1021"
    case databaseLocale = "LL1022"
    case databaseTimeouts = "LL1023"
    case databaseClock = "LL1024"
    case noSlotFree = "LL1025"
    case slotLost = "LL1026"
    case lanesDiffer = "LL1027"
    case settingUnknown = "LL1101"
    case settingInvalid = "LL1102"
    case configurationUnreadable = "LL1103"
    case secretUnreadable = "LL1104"
    case usage = "LL1105"
    case serverKeyForeign = "LL1106"
    case storePassword = "LL1107"
    case documentUnreadable = "LL1201"
    case documentInvalid = "LL1202"
    case notFound = "LL1203"
    case conflict = "LL1204"
    case dataMissing = "LL1205"
    case notRunning = "LL1206"
    case backupUnusable = "LL1207"
    case backupOnServer = "LL1208"
    case processUnknown = "LL1209"
    case storeNotShared = "LL1210"
    case doctorStore = "LL1301"
    case doctorBroker = "LL1302"
    case doctorGate = "LL1303"
    case doctorDisk = "LL1304"
    case doctorClock = "LL1305"
    case doctorLimits = "LL1306"
    case doctorSecrets = "LL1307"
    case doctorService = "LL1308"
    case doctorRefusals = "LL1309"
    case doctorAddresses = "LL1310"
    case doctorBackup = "LL1311"
    case doctorCertificates = "LL1312"
    case doctorStandbys = "LL1313"
    case doctorDurability = "LL1314"
    case doctorTransactions = "LL1315"
    case doctorBloat = "LL1316"
    case doctorConnections = "LL1317"
    case unexpected = "LL1900"

    /// Finds a code however it is written: `LL1003`, `ll1003` or `1003`.
    package init?(named text: String) {
        let upper = text.uppercased()
        guard let code = Self(rawValue: upper.hasPrefix("LL") ? upper : "LL" + upper) else {
            return nil
        }
        self = code
    }
}
