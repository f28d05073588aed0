//! Training of the engine, its opening book, matches and measurements. Not part of the program.
