#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz_targets::content_decode::check(data));
