/**
 * File modes for everything that a store creates: conversations are private to their owner. Existing files keep the
 * modes that they have.
 */
export const PRIVATE_FILE = 0o600;
export const PRIVATE_FOLDER = 0o700;
