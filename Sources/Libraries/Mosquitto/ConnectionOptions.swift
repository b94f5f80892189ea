/// The options of a `MosquittoClient`: the address, the credentials and the limits.
package struct ConnectionOptions: Sendable {
    /// The broker's host name or address.
    package var host: String
    /// The broker's TCP port.
    package var port: Int
    /// The client id (the broker ends an older connection with the same id).
    package var clientID: String
    /// The user name; nil to send none.
    package var username: String?
    /// The password; nil to send none.
    package var password: String?
    /// The number of seconds without a packet after which the client sends a PINGREQ.
    ///
    /// The number is at least 5, or 0 if the client must not send PINGREQs.
    package var keepAliveSeconds = 30
    /// How many seconds the broker keeps the session and its queue while the client isn't connected.
    package var sessionExpirySeconds: UInt32 = 14 * 24 * 3600
    /// Whether the broker drops the session of an earlier connection.
    package var cleanStart = false
    /// How many unacknowledged messages the broker may send, and thus how many MQTT messages an intake can contain.
    package var receiveMaximum: UInt16 = 1000
    /// The maximum number of messages that are sent but not yet confirmed (the broker can lower this maximum).
    package var sendMaximum: UInt16 = 250
    /// The files for TLS; nil for a plain connection.
    package var tls: TLS?
    /// The MQTT will; nil for no will.
    package var will: Will?
    /// The topics of batches, or nil to send each message as its own packet.
    package var batches: Batches?
    /// The longest wait for the answer to CONNECT, SUBSCRIBE and UNSUBSCRIBE.
    package var connectTimeout: Duration = .seconds(10)
    /// The longest time for which `flush()` waits for a broker that reads nothing.
    package var writeTimeout: Duration = .seconds(10)

    /// Makes options from the broker's address and a client id.
    package init(host: String, port: Int, clientID: String) {
        (self.host, self.port, self.clientID) = (host, port, clientID)
    }
}

extension ConnectionOptions {
    /// The topics of message batches (`BatchWriter`), for a broker whose plugin supports batches.
    package struct Batches: Sendable {
        /// The topic of incoming batches, to which the client must subscribe as to any other topic.
        package var incoming: String
        /// The topic of outgoing batches.
        package var outgoing: String

        /// Makes a pair of topics for batches.
        package init(incoming: String, outgoing: String) {
            (self.incoming, self.outgoing) = (incoming, outgoing)
        }
    }

    /// The PEM files for a TLS connection, on which the client always verifies the broker's certificate.
    package struct TLS: Sendable {
        /// The file with the certificates of the authorities that are trusted to issue the broker's certificate.
        package var caFile: String
        /// The file with the client's own certificate, or nil if the client has no certificate.
        package var certificateFile: String?
        /// The file with the certificate's key, or nil if the client has no certificate.
        package var keyFile: String?

        /// Makes the set of files.
        package init(caFile: String, certificateFile: String? = nil, keyFile: String? = nil) {
            (self.caFile, self.certificateFile, self.keyFile) = (caFile, certificateFile, keyFile)
        }
    }

    /// The message that the broker publishes when the connection ends without a DISCONNECT.
    package struct Will: Sendable {
        /// The will's topic.
        package var topic: String
        /// The will's payload.
        package var payload: [UInt8]
        /// Whether the broker retains the will as the topic's last message.
        package var isRetained: Bool

        /// Makes a will.
        package init(topic: String, payload: [UInt8], isRetained: Bool = false) {
            (self.topic, self.payload, self.isRetained) = (topic, payload, isRetained)
        }
    }
}

/// The delivery guarantees in use (not QoS 2, because the library confirms QoS 2 messages too early).
package enum QualityOfService: UInt8, Sendable {
    case atMostOnce = 0
    case atLeastOnce = 1
}

/// The options that all filters of one SUBSCRIBE share.
package struct SubscribeOptions: Sendable {
    /// The cases in which the broker sends the retained messages that match a filter.
    package enum RetainHandling: UInt8, Sendable {
        case always = 0x00
        case onlyIfNew = 0x10
        case never = 0x20
    }

    /// The highest delivery guarantee with which the broker forwards messages.
    package var quality = QualityOfService.atLeastOnce
    /// The cases in which the broker sends retained messages.
    package var retainHandling = RetainHandling.onlyIfNew
    /// True if the broker must not send the client the messages that the client itself publishes.
    package var noLocal = false

    /// Makes options.
    ///
    /// By default, messages are delivered at least once. The broker sends retained messages only for new subscriptions.
    package init(
        quality: QualityOfService = .atLeastOnce,
        retainHandling: RetainHandling = .onlyIfNew,
        noLocal: Bool = false
    ) {
        (self.quality, self.retainHandling, self.noLocal) = (quality, retainHandling, noLocal)
    }

    var bits: Int32 { Int32(retainHandling.rawValue) | (noLocal ? 0x04 : 0) }
}
