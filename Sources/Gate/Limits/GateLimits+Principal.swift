import Metering

extension GateLimits {
    /// Returns the limit on the messages that may wait for a principal, or nil for services.
    func heldLimit(of principal: Principal) -> HeldLimit? {
        switch principal {
        case .terminal, .link: HeldLimit(bytes: terminalHeldBytes, messages: terminalHeldMessages)
        case .device, .product: HeldLimit(bytes: deviceHeldBytes, messages: deviceHeldMessages)
        case .service: nil
        }
    }

    /// Returns how many subscriptions a client may have; 0 means no limit.
    ///
    /// Home Assistant subscribes to about sixty filters for discovery, and to three more for each device.
    func subscriptions(of principal: Principal) -> Int {
        if case .link = principal { return terminalSubscriptions * 8 }
        return terminalSubscriptions
    }

    /// Returns the allowance of an admitted connection, or nil for workers, which are never counted.
    func allowance(of pass: Admission.Pass) -> Allowance? { pass.isKey ? key : allowance(of: pass.principal) }

    /// Returns the allowance of a principal, or nil for workers, which are never counted.
    func allowance(of principal: Principal) -> Allowance? {
        switch principal {
        case .terminal: terminal
        case .link: key
        case .device: device
        case .product: product
        case .service(let name): name == Admission.workerName ? nil : service
        }
    }
}

extension Principal {
    /// The id of a terminal's app or the key of a product, or nil for devices, links and services.
    var party: String? {
        switch self {
        case .terminal(_, let appId): appId
        case .product(let key, _): key
        case .device, .link, .service: nil
        }
    }

    /// Whether the principal's messages count against its source address.
    ///
    /// The messages of devices with their own secrets don't count, because one router can serve hundreds of such
    /// devices.
    var isCountedByAddress: Bool { party != nil }
}
