/**
 * Why a store did not answer, and whether the same call can succeed later although nobody has mended anything here.
 * What somebody must change first (rights, an address, a damaged file) is not waited for.
 */
const WAITING_HELPS = {
  // Others are at work.
  locked: true,
  busy: true,
  contention: true,
  timeout: true,
  limit: true,
  "too-many-connections": true,
  "too-many-files": true,
  "out-of-memory": true,
  // It comes back.
  restarting: true,
  "connection-lost": true,
  unreachable: true,
  /** A server that takes no writes may be made the primary, or its address be given to another one. */
  standby: true,
  // Room is made, and a disk that failed once may work again.
  "disk-full": true,
  "database-full": true,
  medium: true,
  // Somebody must do something first.
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

export type FailureReason = keyof typeof WAITING_HELPS;

/** As an error takes it: false where waiting cannot help. */
export function retryableAfter(reason: FailureReason | undefined): false | undefined {
  return reason !== undefined && !WAITING_HELPS[reason] ? false : undefined;
}
