enum PlaceholderWeb {}
