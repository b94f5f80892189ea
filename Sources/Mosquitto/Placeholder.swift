enum PlaceholderMosquitto {}
