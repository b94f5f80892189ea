import CMosquitto

extension ConnectionOptions {
    /// Makes an unconnected handle, which the caller frees with `mosquitto_destroy`.
    /// - Throws: `MosquittoError`, for example if a file of `TLS` can't be read.
    package func makeHandle() throws(MosquittoError) -> OpaquePointer {
        try check("mosquitto_lib_init", Library.result)
        guard let handle = mosquitto_new(clientID, cleanStart, nil) else {
            throw MosquittoError(.outOfMemory, function: "mosquitto_new")
        }
        do throws(MosquittoError) {
            try apply(to: handle)
        } catch {
            mosquitto_destroy(handle)
            throw error
        }
        return handle
    }

    /// Opens the connection of a handle and sends CONNECT, without waiting for the answer.
    package func connect(_ handle: OpaquePointer) throws(MosquittoError) {
        var properties = Properties()
        properties.add(MQTT_PROP_SESSION_EXPIRY_INTERVAL, sessionExpirySeconds)
        try check(
            "mosquitto_connect_bind_v5",
            mosquitto_connect_bind_v5(handle, host, Int32(port), Int32(keepAliveSeconds), nil, properties.list)
        )
    }

    /// Sets the options that aren't arguments of `mosquitto_connect_bind_v5`.
    private func apply(to handle: OpaquePointer) throws(MosquittoError) {
        let numbers = [
            (MOSQ_OPT_PROTOCOL_VERSION, Int32(MQTT_PROTOCOL_V5)), (MOSQ_OPT_RECEIVE_MAXIMUM, Int32(receiveMaximum)),
            (MOSQ_OPT_SEND_MAXIMUM, Int32(sendMaximum)), (MOSQ_OPT_TCP_NODELAY, 1),
        ]
        for (option, value) in numbers {
            try check("mosquitto_int_option", mosquitto_int_option(handle, option, value))
        }
        if let username {
            let result = mosquitto_username_pw_set(handle, username, password)
            try check("mosquitto_username_pw_set", result)
        }
        if let tls {
            let (certificate, key) = (tls.certificateFile, tls.keyFile)
            let result = mosquitto_tls_set(handle, tls.caFile, nil, certificate, key, nil)
            try check("mosquitto_tls_set", result)
        }
        if let will {
            let (count, quality) = (Int32(will.payload.count), Int32(QualityOfService.atLeastOnce.rawValue))
            let result =
                mosquitto_will_set_v5(handle, will.topic, count, will.payload, quality, will.isRetained, nil)
            try check("mosquitto_will_set_v5", result)
        }
    }
}
