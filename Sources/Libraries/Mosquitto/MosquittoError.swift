import CMosquitto
import Glibc

/// An error of libmosquitto, without any payload, username or password.
package struct MosquittoError: Error, Equatable, Sendable {
    /// A result of the library (`mosq_err_t`), or a code above 1000 that this module defines.
    package struct Code: RawRepresentable, Hashable, Sendable {
        /// The number.
        package let rawValue: Int32

        package init(rawValue: Int32) { self.rawValue = rawValue }
    }

    /// The kind of failure.
    package let code: Code
    /// The name of the C function or the method of `MosquittoClient` that failed.
    package let function: String
    /// The broker's MQTT 5 reason code for a refusal or disconnection, or nil if the broker sent none.
    package let reasonCode: UInt8?
    /// The value of `errno` at the failure, or nil if the system reported no error.
    package let systemError: Int32?

    /// Makes an error with the name of the function that failed.
    package init(_ code: Code, function: String, reasonCode: UInt8? = nil, systemError: Int32? = nil) {
        self.code = code
        self.function = function
        self.reasonCode = reasonCode
        self.systemError = systemError
    }
}

extension MosquittoError.Code {
    /// The library is out of memory.
    package static let outOfMemory = Self(rawValue: MOSQ_ERR_NOMEM.rawValue)
    /// The broker violated the protocol.
    package static let protocolError = Self(rawValue: MOSQ_ERR_PROTOCOL.rawValue)
    /// An argument is invalid.
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
    /// A string is not valid UTF-8.
    package static let malformedUTF8 = Self(rawValue: MOSQ_ERR_MALFORMED_UTF8.rawValue)
    /// The broker did not answer a PINGREQ.
    package static let keepAlive = Self(rawValue: MOSQ_ERR_KEEPALIVE.rawValue)
    /// The packet is larger than the broker accepts.
    package static let oversizePacket = Self(rawValue: MOSQ_ERR_OVERSIZE_PACKET.rawValue)

    /// The broker was too slow to answer or to read.
    package static let timeout = Self(rawValue: 1001)
    /// The broker ended the connection with a reason.
    package static let disconnected = Self(rawValue: 1002)
    /// The broker refused a filter of a subscription.
    package static let subscriptionRefused = Self(rawValue: 1003)
    /// Acknowledgements are waiting for `flush()`, and the method that failed would have sent them early.
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

/// Throws an error if a result of libmosquitto is a failure.
package func check(_ function: String, _ result: Int32) throws(MosquittoError) {
    // `errno` is read first, because any other call could overwrite it.
    let systemError = errno
    guard result != MOSQ_ERR_SUCCESS.rawValue else { return }
    let code = MosquittoError.Code(rawValue: result)
    throw MosquittoError(code, function: function, systemError: code == .system || code == .lookup ? systemError : nil)
}
