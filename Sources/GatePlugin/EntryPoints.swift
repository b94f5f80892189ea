import Gate

// The functions that Mosquitto looks up in the shared library, which exports only `public` functions.

/// Returns the version of the plugin interface that the gate implements.
@_cdecl("mosquitto_plugin_version")
public func pluginVersion(_ count: Int32, _ versions: UnsafePointer<Int32>?) -> Int32 {
    Plugin.version(versions, count: count)
}

/// Starts the gate when the broker loads the library.
@_cdecl("mosquitto_plugin_init")
public func pluginInit(
    _ plugin: OpaquePointer?,
    _ userData: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    _ options: UnsafeMutableRawPointer?,
    _ count: Int32
) -> Int32 {
    Plugin.start(plugin, userData, options: options, count: count)
}

/// Ends the gate when the broker stops.
@_cdecl("mosquitto_plugin_cleanup")
public func pluginCleanup(
    _ userData: UnsafeMutableRawPointer?,
    _ options: UnsafeMutableRawPointer?,
    _ count: Int32
) -> Int32 {
    Plugin.stop(userData)
    return 0
}
