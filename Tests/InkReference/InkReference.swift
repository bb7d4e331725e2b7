// First type follows.
