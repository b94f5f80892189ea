import CMosquitto
import Glibc

/// A failed call to libmosquitto, with its reason.
///
/// It carries codes and names only: never a payload, a user name or a password.
package struct MosquittoError: Error, Equatable, Sendable {
    /// The library's result, `mosq_err_t`, or one of this module's above 1000.
    package struct Code: RawRepresentable, Hashable, Sendable {
        /// The number.
        package let rawValue: Int32

        package init(rawValue: Int32) { self.rawValue = rawValue }
    }

    /// What failed.
    package let code: Code
    /// The C function, or the method of `MosquittoClient`, that failed.
    package let function: String
    /// The MQTT 5 reason code the broker gave, if it was the broker that refused or disconnected.
    package let reasonCode: UInt8?
    /// `errno` at the time of failure, where the library reports a system error.
    package let systemError: Int32?

    /// Makes an error of a function that failed.
    package init(
        _ code: Code,
        function: String,
        reasonCode: UInt8? = nil,
        systemError: Int32? = nil
    ) {
        self.code = code
        self.function = function
        self.reasonCode = reasonCode
        self.systemError = systemError
    }
}

extension MosquittoError.Code {
    /// The library got no memory.
    package static let outOfMemory = Self(rawValue: MOSQ_ERR_NOMEM.rawValue)
    /// The broker sent what MQTT does not allow.
    package static let protocolError = Self(rawValue: MOSQ_ERR_PROTOCOL.rawValue)
    /// An argument that the library does not take.
    package static let invalid = Self(rawValue: MOSQ_ERR_INVAL.rawValue)
    /// There is no connection.
    package static let noConnection = Self(rawValue: MOSQ_ERR_NO_CONN.rawValue)
    /// The broker refused the connection.
    package static let connectionRefused = Self(rawValue: MOSQ_ERR_CONN_REFUSED.rawValue)
    /// The connection ended.
    package static let connectionLost = Self(rawValue: MOSQ_ERR_CONN_LOST.rawValue)
    /// TLS failed, or the broker's certificate was not accepted.
    package static let tls = Self(rawValue: MOSQ_ERR_TLS.rawValue)
    /// The payload is larger than MQTT allows.
    package static let payloadSize = Self(rawValue: MOSQ_ERR_PAYLOAD_SIZE.rawValue)
    /// The system refused a call; see `systemError`.
    package static let system = Self(rawValue: MOSQ_ERR_ERRNO.rawValue)
    /// The broker's name has no address; see `systemError`.
    package static let lookup = Self(rawValue: MOSQ_ERR_EAI.rawValue)
    /// A text that is not valid UTF-8.
    package static let malformedUTF8 = Self(rawValue: MOSQ_ERR_MALFORMED_UTF8.rawValue)
    /// No answer to a PINGREQ.
    package static let keepAlive = Self(rawValue: MOSQ_ERR_KEEPALIVE.rawValue)
    /// The packet is larger than the broker takes.
    package static let oversizePacket = Self(rawValue: MOSQ_ERR_OVERSIZE_PACKET.rawValue)

    /// The broker did not answer, or did not read, in time.
    package static let timeout = Self(rawValue: 1001)
    /// The broker ended the connection with a reason.
    package static let disconnected = Self(rawValue: 1002)
    /// The broker refused a filter of a subscription.
    package static let subscriptionRefused = Self(rawValue: 1003)
    /// Acknowledgements are waiting for `flush()`, and this call would send them early.
    package static let acknowledgementsHeld = Self(rawValue: 1004)
}

extension MosquittoError: CustomStringConvertible {
    package var description: String {
        var text = "\(function): \(summary)"
        if let reasonCode {
            text += " (reason 0x\(String(reasonCode, radix: 16)): "
            text += String(cString: mosquitto_reason_string(Int32(reasonCode))) + ")"
        }
        return text
    }

    private var summary: String {
        switch code {
        case .timeout: "the broker did not answer in time"
        case .disconnected: "the broker ended the connection"
        case .subscriptionRefused: "the broker refused a subscription"
        case .acknowledgementsHeld: "acknowledgements are held back"
        case .system: String(cString: strerror(systemError ?? 0))
        case .lookup: String(cString: gai_strerror(systemError ?? 0))
        default: String(cString: mosquitto_strerror(code.rawValue))
        }
    }
}

/// Turns a result of libmosquitto into an error; the one door through which all results go.
func check(_ function: StaticString, _ result: Int32) throws(MosquittoError) {
    // First of all: the next call of anything may overwrite it.
    let systemError = errno
    guard result != MOSQ_ERR_SUCCESS.rawValue else { return }
    let code = MosquittoError.Code(rawValue: result)
    throw MosquittoError(
        code,
        function: "\(function)",
        systemError: code == .system || code == .lookup ? systemError : nil
    )
}
