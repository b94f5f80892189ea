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
                "The username has a valid form, but it needs a secret.",
                "Set the password: the product's, device's or app's secret, or the session's token."
            )
        case .badUsername:
            (
                "the username has none of the four forms",
                "It must be product:KEY, device:DID, app:APPID or service:NAME. It is shown as ? since it may contain a secret by mistake.",
                "Check whether username and password were mixed up."
            )
        case .badClientId:
            (
                "the client id does not belong to the username",
                "A product connects with its MAC (12 lowercase hex digits) or IMEI, a device with its did, a terminal with 32 lowercase hex digits, a service with svc.NAME.…",
                "Set the client id that belongs to this kind of client."
            )
        default: secretPage
        }
    }

    private var secretPage: (title: String, cause: String, cure: String) {
        switch self {
        case .badSecret:
            (
                "the password is wrong",
                "The client exists but has another secret. A device that registered again has a new one; a session that ended has none.",
                "Register the device again with its old secret, or log the user in again. The secret of a product or an app is shown only once: to set a new one, import its document again with \"productSecret\" or \"secret\"."
            )
        case .unknownPrincipal:
            (
                "no client has that name",
                "The product, device, app or service does not exist in this installation, or was removed.",
                "Check with \"lamplighter product list\", \"device list\" or \"app list\"; a removed device registers again."
            )
        case .terminalOfOtherApp:
            (
                "the terminal id belongs to another app",
                "A terminal id belongs to the first app that used it.",
                "Let each installation of an app generate its own random id, once."
            )
        case .sessionTokenRequired:
            (
                "the terminal has a user's session in use, so the app's secret is not accepted",
                "The secret can be extracted from an app, so from the first use of a session's token to the session's end, only that token connects as the terminal.",
                "Connect with the session's token. If the app has lost it, connect as a new terminal and log in again, as the project's clients do automatically."
            )
        case .tooManyNewClients:
            (
                "too many new client ids from one source address",
                "The number of new client ids from one address per minute is limited (broker.newClientsPerMinute).",
                "Wait a minute; for a production line or a test behind one address, raise that setting."
            )
        case .certificateRevoked:
            (
                "the device's certificate was revoked",
                "The certificate that the device shows is older than the last \"lamplighter device certificate DID --revoke\".",
                "Make a new one with \"lamplighter device certificate DID\" and put it into the device, or let the device connect with its secret."
            )
        case .credentialsUnavailable:
            (
                "the gate has no credentials to check clients against",
                "Its file, gate/credentials in the data directory, is missing, unreadable or damaged; the gate admits only the workers.",
                "Start the service, which writes it; let the broker's user read it."
            )
        default: rightPage
        }
    }

    private var rightPage: (title: String, cause: String, cure: String) {
        switch self {
        case .notAllowed:
            (
                "the topic is not the client's",
                "A client may publish and subscribe only in a few topics of its own.",
                "Compare the topic with schemas/channels.yaml; check root, did and terminal id."
            )
        case .retainNotAllowed:
            (
                "a client published with the retain flag",
                "Retained messages would outlive their content; only the service's workers publish them.",
                "Publish, and set the will, without the retain flag."
            )
        case .badTopic:
            (
                "the topic or filter is malformed",
                "It is empty, too long, not UTF-8, or has a wildcard where none is allowed.",
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
                "Subscribe to the same filter without $share/…"
            )
        case .sessionRequired:
            (
                "the user's topics need a session of that user",
                "A terminal receives user/{uid}/# only while that user is logged in on it.",
                "Log in first, connect with the session's token, and then subscribe."
            )
        case .noLongerAllowed:
            (
                "the client lost its access after it connected",
                "The principal was removed, its secret was rotated, or its session ended; the connection is closed.",
                "Connect again with new credentials: register the device, or log in."
            )
        case .ownRequest:
            (
                "a terminal's own request is not delivered back to it",
                "A terminal that subscribes to all of its topics would receive its own requests too. These refusals are never reported.",
                "Nothing needs to be done."
            )
        default: limitPage
        }
    }

    private var limitPage: (title: String, cause: String, cure: String) {
        switch self {
        case .tooFast:
            (
                "a client sends too much",
                "Each connection has a rate and a burst of messages and bytes. After ten seconds above them the connection is closed and the client id refused for a minute, then twice as long each time; likewise a source address with ten such closings in an hour.",
                "Let the client wait for answers and repeat with growing pauses. If it really needs that rate, raise the settings for its kind: see \"lamplighter config\"."
            )
        case .addressTooFast:
            (
                "the terminals behind one source address together send too much",
                "All terminals and registering devices of one source address share a rate and a burst (limits.addressMessagesPerSecond). Beyond it, only those that send seldom are served, one message a second; no connection is closed for this.",
                "Look at the address: block it in a firewall if it floods the broker with terminals. If it is a proxy in front of the broker, or stands for very many users, raise limits.addressMessagesPerSecond, or set it to 0."
            )
        case .busy:
            (
                "the broker admits no new client at the moment",
                "From all addresses together 200 new client ids a second are admitted, at most half of them of one app or product while others are waiting (limits.newcomersPerSecond), and none while clients hold nearly their full share of the broker's memory (broker.heldPercent). Devices, and terminals with a session, are not affected, except a client refused as tooSlow with a broker other than Mosquitto 2.0.11: it can connect once the service has ended its old session, within seconds.",
                "Connect again with growing pauses. If many new clients are expected, raise limits.newcomersPerSecond; if memory is short, look for clients refused as tooSlow, or raise broker.memoryMegabytes."
            )
        case .tooSlow:
            (
                "a client does not take its messages",
                "Too many messages wait for it or are unacknowledged (limits.terminalHeldKilobytes and the like): deliveries are skipped. A client that acknowledges nothing for a minute, so that nothing more can be sent, is disconnected; so is the client that holds most when all clients together hold too much (broker.heldPercent).",
                "Let the client acknowledge each message at once and process it afterwards. After a pause it gets the newest status of each device; device/events and device/commands have the rest."
            )
        case .qosNotSupported:
            (
                "a client used QoS 2",
                "QoS 2 messages that are never completed would stay in the broker's memory. QoS 1 and the id of a request or report achieve the same: effects happen once.",
                "Publish, and set the will, with QoS 0 or 1."
            )
        case .overloaded:
            (
                "reports or requests arrive faster than the service can process them",
                "Too many reports wait for the status worker, or too many requests for a worker: each device or terminal gets only its share of them, at least one. The message was not handled; the connection stays open.",
                "Let clients repeat with growing pauses: after 5 s, then twice as long each time. If it persists, find the clients that send most, give the machine more resources, or raise limits.statusBacklog or limits.requestBacklog, at the price of longer waits for all."
            )
        case .tooManySubscriptions:
            (
                "a client holds too many subscriptions",
                "Each subscription takes memory of the broker, so their number is limited.",
                "Subscribe to all topics of the client with one filter, …/#, instead of topic by topic."
            )
        case .filterNotAllowed:
            (
                "the filter is within the client's own topics, but has a form that is not granted",
                "Only a few forms are granted, since each level of a filter takes memory.",
                "Use one of these filters: {own space}/#, …/response, user/{uid}/#, user/{uid}/device/…"
            )
        case .tooManyLevels:
            (
                "the topic has too many levels",
                "Levels cost the broker memory and time; no topic of Lamplighter has as many.",
                "Look for a slash in a name that is part of a topic."
            )
        default: listenerPage
        }
    }

    private var listenerPage: (title: String, cause: String, cure: String) {
        switch self {
        case .originNotAllowed:
            (
                "a web page of an origin that is not allowed opened a WebSocket",
                "Pages of this machine, pages under the service's own name with TLS, and those that mqtt.webSocketOrigins names may connect; the detail is the page's origin, as sent by the browser.",
                "If the page is yours, allow its origin: mqtt.webSocketOrigins: https://app.example.com. Otherwise nothing needs to be done."
            )
        case .handshakeFailed:
            (
                "a client's TLS handshake failed",
                "The detail is the TLS library's error: an alert about the certificate comes from a client that does not trust it or expects another server name (BAD_PACKET_LENGTH if its alert could not be read), HTTP_REQUEST from a client without TLS. For the broker's own ports the client's address is unknown.",
                "Give the client the authority's file, and use a server name that \"lamplighter tls show\" lists; TLS must be 1.2 or later."
            )
        case .operatorSignIn:
            (
                "somebody failed to sign in to the console",
                "A password, a one-time link or a token was wrong, or was not checked after too many wrong ones. The name is the operator's for whom the password was entered, ? if there is no such operator; the detail is what was tried. A name has 10 wrong passwords in 15 minutes from one address, 100 from all together; a browser in which the operator has signed in before has another 10.",
                "An operator who mistyped can try again, or sign in with a link from \"lamplighter console\". A script's token may have expired: \"lamplighter operator token NAME\" makes another. Block a guesser's address in the firewall; the console need not be reachable from everywhere."
            )
        default:
            (
                "a source address, or the listener, has too many connections",
                "limits.webSocketPerAddress, webSocketConnections, httpPerAddress and httpConnections limit them. A connection beyond the limit is answered with 503 and Retry-After.",
                "Look at the address: a client that opens more and more connections is faulty. Behind a proxy on another machine, which is one address, raise the limit."
            )
        }
    }
}
