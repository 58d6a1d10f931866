//! Block traces: readers, one file per format, with detection and transparent decompression.
