import Metering

extension GateLimits {
    /// Returns the limit on the messages that may wait for a principal, or nil for services.
    func heldLimit(of principal: Principal) -> HeldLimit? {
        switch principal {
        case .terminal: HeldLimit(bytes: terminalHeldBytes, messages: terminalHeldMessages)
        case .device, .product: HeldLimit(bytes: deviceHeldBytes, messages: deviceHeldMessages)
        case .service: nil
        }
    }

    /// Returns the allowance of an admitted connection, or nil for workers, which are never counted.
    func allowance(of pass: Admission.Pass) -> Allowance? { pass.isKey ? key : allowance(of: pass.principal) }

    /// Returns the allowance of a principal, or nil for workers, which are never counted.
    func allowance(of principal: Principal) -> Allowance? {
        switch principal {
        case .terminal: terminal
        case .device: device
        case .product: product
        case .service(let name): name == Admission.workerName ? nil : service
        }
    }
}

extension Principal {
    /// The app or product with whose secret the principal can connect; nil for devices and services.
    var party: String? {
        switch self {
        case .terminal(_, let appId): appId
        case .product(let key, _): key
        case .device, .service: nil
        }
    }

    /// Whether the principal's messages count against its source address.
    ///
    /// Messages of devices with their own secrets don't count, because hundreds of devices can be behind one gateway or
    /// router.
    var isCountedByAddress: Bool { party != nil }
}
