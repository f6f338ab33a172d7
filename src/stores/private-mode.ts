/**
 * The rights of everything that a store makes: what somebody said is nobody else's business. What is there already
 * keeps the rights that its owner gave it.
 */
export const PRIVATE_FILE = 0o600;
export const PRIVATE_FOLDER = 0o700;
