//! What a capture says, parsed and unjudged. One file a part; each is total on any bytes.
