import CMosquitto

extension ConnectionOptions {
    /// Sets the options that `mosquitto_connect_bind_v5` does not take.
    func apply(to handle: OpaquePointer) throws(MosquittoError) {
        try check("mosquitto_threaded_set", mosquitto_threaded_set(handle, true))
        try set(MOSQ_OPT_PROTOCOL_VERSION, to: Int32(MQTT_PROTOCOL_V5), in: handle)
        try set(MOSQ_OPT_RECEIVE_MAXIMUM, to: Int32(receiveMaximum), in: handle)
        try set(MOSQ_OPT_SEND_MAXIMUM, to: Int32(sendMaximum), in: handle)
        try set(MOSQ_OPT_TCP_NODELAY, to: 1, in: handle)
        if let username {
            try check(
                "mosquitto_username_pw_set",
                mosquitto_username_pw_set(handle, username, password)
            )
        }
        if let tls {
            try check(
                "mosquitto_tls_set",
                mosquitto_tls_set(
                    handle,
                    tls.caFile,
                    nil,
                    tls.certificateFile,
                    tls.keyFile,
                    nil
                )
            )
        }
        if let will {
            try check(
                "mosquitto_will_set_v5",
                mosquitto_will_set_v5(
                    handle,
                    will.topic,
                    Int32(will.payload.count),
                    will.payload,
                    Int32(QualityOfService.atLeastOnce.rawValue),
                    will.isRetained,
                    nil
                )
            )
        }
    }

    private func set(
        _ option: mosq_opt_t,
        to value: Int32,
        in handle: OpaquePointer
    ) throws(MosquittoError) {
        try check("mosquitto_int_option", mosquitto_int_option(handle, option, value))
    }
}
