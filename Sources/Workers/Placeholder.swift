enum PlaceholderWorkers {}
