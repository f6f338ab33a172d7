/** Lists why a store call can fail, and whether a retry can succeed without action by an operator. */
const RETRY_HELPS = {
  // Contention and exceeded limits are temporary.
  locked: true,
  busy: true,
  contention: true,
  timeout: true,
  limit: true,
  "too-many-connections": true,
  "too-many-files": true,
  "out-of-memory": true,
  // The server will be reachable again.
  restarting: true,
  "connection-lost": true,
  unreachable: true,
  /** A standby may be promoted to primary, or its address may be moved to another server. */
  standby: true,
  // Space can be freed, and a disk that failed once may work again.
  "disk-full": true,
  "database-full": true,
  medium: true,
  // An operator has to act first.
  "read-only": false,
  permission: false,
  password: false,
  "missing-database": false,
  "missing-tables": false,
  "missing-folder": false,
  "missing-file": false,
  "something-else-there": false,
  "too-large": false,
  "no-locks": false,
  "not-openable": false,
  "not-a-database": false,
  corrupt: false,
  changed: false,
} as const;

export type FailureReason = keyof typeof RETRY_HELPS;

/** Returns false if a retry cannot help; undefined leaves the decision to the error code. */
export function findRetryable(reason: FailureReason | undefined): false | undefined {
  return reason !== undefined && !RETRY_HELPS[reason] ? false : undefined;
}
