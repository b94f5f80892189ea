package import Credentials

extension RefusalReason {
    /// The page of `lamplighter explain`: a title, the cause and the cure.
    package var page: (title: String, cause: String, cure: String) {
        switch self {
        case .noUsername:
            (
                "a client gave no MQTT username",
                "Every client names itself: product:KEY, device:DID, app:APPID or service:NAME.",
                "Set the username in the client; \"lamplighter up\" prints examples."
            )
        case .noPassword:
            (
                "a client gave no password",
                "The username was right in its form, but a secret belongs to it.",
                "Set the password: the product's, device's or app's secret, or the session's token."
            )
        case .badUsername:
            (
                "the username has none of the four forms",
                "It must be product:KEY, device:DID, app:APPID or service:NAME. It is shown as ? since a secret may be in the wrong field.",
                "Check whether username and password were mixed up."
            )
        case .badClientId:
            (
                "the client id does not belong to the username",
                "A product connects with its MAC (12 lowercase hex digits) or IMEI, a device with its did, a terminal with 32 lowercase hex digits, a service with svc.NAME.…",
                "Set the client id to the one for this kind of client."
            )
        default: secretPage
        }
    }

    private var secretPage: (title: String, cause: String, cure: String) {
        switch self {
        case .badSecret:
            (
                "the password is wrong",
                "The principal exists and has another secret. A device that registered again has a new one; a session that ended has none.",
                "Register the device again with its old secret, or log the user in again. A secret of a product or an app is shown once: for another one, import its document again with \"productSecret\" or \"secret\"."
            )
        case .unknownPrincipal:
            (
                "no client has that name",
                "The product, device, app or service is not in this installation, or was removed.",
                "Look with \"lamplighter product list\", \"device list\" or \"app list\"; a removed device registers again."
            )
        case .terminalOfOtherApp:
            (
                "the terminal id belongs to another app",
                "A terminal id belongs to the first app that used it.",
                "Have each installation of an app make its own id at random, once."
            )
        case .sessionTokenRequired:
            (
                "a user's session on the terminal is in use, so the app's secret does not connect as it",
                "The secret can be extracted from an app; from the first use of a session's token to the session's end only that token connects as the terminal.",
                "Connect with the session's token. If the app has lost it, connect as a new terminal and log in again, as the project's clients do by themselves."
            )
        case .tooManyNewClients:
            (
                "a source address brings too many new client ids",
                "From one address only so many new client ids are admitted in a minute (broker.newClientsPerMinute).",
                "Wait a minute; for a factory's line or a test behind one address raise that setting."
            )
        case .certificateRevoked:
            (
                "the device's certificate was revoked",
                "The certificate that the device shows is older than the last \"lamplighter device certificate DID --revoke\".",
                "Make a new one with \"lamplighter device certificate DID\" and put it into the device, or have it connect with its secret."
            )
        case .credentialsUnavailable:
            (
                "the gate has no credentials to check clients against",
                "Its file, gate/credentials in the data directory, is missing, unreadable or damaged; the gate admits only the workers.",
                "Start the service, which writes it; give the broker's user the right to read it."
            )
        default: rightPage
        }
    }

    private var rightPage: (title: String, cause: String, cure: String) {
        switch self {
        case .notAllowed:
            (
                "the topic is not the client's",
                "A client may publish and subscribe in a few topics of its own, and in no others.",
                "Compare the topic with those in schemas/channels.yaml; mind root, did and terminal id."
            )
        case .retainNotAllowed:
            (
                "a client published with the retain flag",
                "Retained messages would outlive their content; only its workers publish some.",
                "Publish, and set the will, without the retain flag."
            )
        case .badTopic:
            (
                "the topic or filter is malformed",
                "It is empty, too long, not UTF-8, or has a wildcard where none may be.",
                "Correct the topic in the client."
            )
        case .reservedTopic:
            (
                "topics that begin with $ are the broker's own",
                "Only services may use them.",
                "Publish and subscribe below the configured root."
            )
        case .sharedNotAllowed:
            (
                "shared subscriptions are for services",
                "With $share/… one of several clients gets each message; a device or an app would miss some.",
                "Subscribe to the plain filter."
            )
        case .sessionRequired:
            (
                "the user's topics need a session of that user",
                "A terminal receives user/{uid}/# only while that user is logged in on it.",
                "Log in first, connect with the session's token, and then subscribe."
            )
        case .noLongerAllowed:
            (
                "the client lost its right since it connected",
                "The principal was removed, its secret was rotated, or its session ended; the connection is closed.",
                "Connect again with new credentials: register the device, or log in."
            )
        case .ownRequest:
            (
                "a terminal's own request is not delivered back to it",
                "Its subscription of all its topics matches its own requests. This is never reported.",
                "Nothing is to be done."
            )
        default: limitPage
        }
    }

    private var limitPage: (title: String, cause: String, cure: String) {
        switch self {
        case .tooFast:
            (
                "a client sends more than it may",
                "Messages and bytes have a rate and a burst for each connection. After ten seconds of it the connection is closed and the client id kept out for a minute, then twice as long each time; a source address with ten such likewise.",
                "Have the client wait for answers and repeat with growing pauses. If it is right to be that fast, raise the settings of its kind: see \"lamplighter config\"."
            )
        case .addressTooFast:
            (
                "the terminals behind one source address send more than they may together",
                "All terminals, and all devices that register, have a rate and a burst by source address (limits.addressMessagesPerSecond). Beyond it only those are served that send seldom, one message a second; no connection is closed for it.",
                "Look at the address: one with a flood of terminals belongs into a firewall. Where it is a proxy in front of the broker or very many users, raise limits.addressMessagesPerSecond, or set it to 0."
            )
        case .busy:
            (
                "the broker lets no newcomer in at the moment",
                "From all addresses together 200 new client ids a second are let in, of which one app or product has at most half while others ask (limits.newcomersPerSecond); and none while clients hold nearly as much of the broker's memory as they may (broker.heldPercent). Devices, and terminals with a session, are not concerned, but for one that was refused as tooSlow beside another broker than Mosquitto 2.0.11: it comes once the service has ended its old session, within seconds.",
                "Connect again with growing pauses. If many new clients are expected, raise limits.newcomersPerSecond; if memory is short, look for clients refused as tooSlow, or raise broker.memoryMegabytes."
            )
        case .tooSlow:
            (
                "a client does not take what it is sent",
                "More waits for it, or is unacknowledged, than may (limits.terminalHeldKilobytes and the like): deliveries are left out. A client that acknowledges nothing for a minute while nothing more may be sent is disconnected; so is who holds most while all clients hold too much together (broker.heldPercent).",
                "Have the client acknowledge each message at once and work on it afterwards. After a pause it gets the newest status of each device; device/events and device/commands hold the rest."
            )
        case .qosNotSupported:
            (
                "a client used QoS 2",
                "Messages of QoS 2 that are never completed would stay in the broker's memory. QoS 1 and the id of a request or report do the same: effects happen once.",
                "Publish, and set the will, with QoS 0 or 1."
            )
        case .overloaded:
            (
                "reports or requests come faster than the service can take them in",
                "Too many reports wait for the status worker, or requests for a worker: each device or terminal may only have its share of them, one at least. The message was not handled; the connection stays.",
                "Have clients repeat with growing pauses: after 5 s, then twice as long each time. If it lasts, look for the ones that send most, give the machine more, or raise limits.statusBacklog or limits.requestBacklog, at the price of a longer wait for all."
            )
        case .tooManySubscriptions:
            (
                "a client holds too many subscriptions",
                "Each subscription takes the broker's memory, so that their number has a bound.",
                "Subscribe to the whole space with one filter, …/#, instead of topic by topic."
            )
        case .filterNotAllowed:
            (
                "the filter lies in the client's own space, but has a shape that no message matches",
                "Only a few shapes are granted, since a filter costs memory for each of its levels.",
                "Use one of these filters: {own space}/#, …/response, user/{uid}/#, user/{uid}/device/…"
            )
        case .tooManyLevels:
            (
                "the topic has too many levels",
                "Levels cost the broker memory and time; no topic of Lamplighter has that many.",
                "Look for a slash in a name that belongs to a topic."
            )
        default: listenerPage
        }
    }

    private var listenerPage: (title: String, cause: String, cure: String) {
        switch self {
        case .originNotAllowed:
            (
                "a page of an origin that may not connect opened a WebSocket",
                "Pages of this machine, those under the service's own name with TLS, and those that mqtt.webSocketOrigins names may; the detail is the page's origin, as the browser says it.",
                "Where the page is one's own, name its origin: mqtt.webSocketOrigins: https://app.example.com. Else nothing is to be done."
            )
        case .handshakeFailed:
            (
                "a client's TLS handshake failed",
                "The detail is what the TLS library says: an alert about the certificate comes from a client that does not trust it or calls the server by another name (BAD_PACKET_LENGTH where its alert could not be read), HTTP_REQUEST from one without TLS. Of the broker's own ports the address is not known.",
                "Give the client the authority's file, and a name that \"lamplighter tls show\" lists; TLS must be 1.2 or later."
            )
        case .operatorSignIn:
            (
                "somebody failed to sign in to the console",
                "A password, a one-time link or a token did not let in, or was not looked at after too many wrong ones. The name is the operator's whom the password was for, ? where there is none of that name; the detail is what was tried. From one address a name has 10 wrong passwords in 15 minutes, from all together 100; a browser in which the operator signed in before has 10 of its own.",
                "An operator who mistyped tries again, or enters by a link of \"lamplighter console\". A script's token may have ended: \"lamplighter operator token NAME\" makes another. Keep a guesser's address out with the firewall; the console need not be reached from everywhere."
            )
        default:
            (
                "a source address, or the listener, has as many connections as it may",
                "limits.webSocketPerAddress, webSocketConnections, httpPerAddress and httpConnections bound them. One beyond is answered with 503 and Retry-After.",
                "Look at the address: a client that opens more and more has a fault. Behind a proxy on another machine, which is one address, raise the limit."
            )
        }
    }
}
