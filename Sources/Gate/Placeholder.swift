enum PlaceholderGate {}
