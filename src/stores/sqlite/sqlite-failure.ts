/** Translates SQLite and file system failures into errors with advice. */
import { accessSync, constants, statSync } from "node:fs";
import { dirname } from "node:path";
import { FULL_ADVICE, PalimpsestError } from "../../core/errors.ts";
import { type FailureReason, findRetryable } from "../shared/failure-reasons.ts";

/** Reasons by the lowest byte of SQLite's result code. */
const REASONS: Readonly<Record<number, SqliteReason>> = {
  // All statements are fixed and tested, so this means that the tables were changed.
  1: "changed",
  3: "permission",
  5: "locked",
  6: "locked",
  7: "out-of-memory",
  8: "read-only",
  10: "medium",
  11: "corrupt",
  13: "disk-full",
  14: "not-openable",
  15: "locked",
  23: "permission",
  26: "not-a-database",
};

/** SQLITE_IOERR_SHMSIZE: on a full disk, the shared memory of a write-ahead log cannot be created. */
const NO_ROOM_FOR_SHARED_MEMORY = 10 | (19 << 8);

export type SqliteReason = keyof typeof ADVICE;

const ADVICE = {
  locked: "another process has locked it for writing. Try again, or end that process",
  "read-only": "it is read-only. Make the file and its folder writable for this user, or choose another file",
  "disk-full": `the disk is full, and nothing was written. ${FULL_ADVICE}`,
  permission: "this user may not open it. Give the user rights to the file and its folder, or choose another file",
  corrupt: "it is damaged. Stop writing, keep a copy, and restore a backup",
  changed: "its tables are damaged or were changed outside of Palimpsest. Restore a backup",
  "not-a-database":
    "it is not an SQLite database, or its first page is damaged. Restore a backup, or choose another file",
  "missing-folder": "its folder does not exist. Create the folder, or choose another file",
  "not-openable": "it cannot be opened. Check that the path names a file and that its disk is mounted",
  "out-of-memory": "there is not enough memory. Free some and try again",
  medium: "the disk reported an error. Check the disk, then try again",
} as const satisfies Partial<Record<FailureReason, string>>;

/** Returns why SQLite failed, or undefined for errors that are not about the file, such as a constraint violation. */
export function findReason(error: unknown, path: string): SqliteReason | undefined {
  if (!(error instanceof Error)) return undefined;
  if ("code" in error && (error.code === "EACCES" || error.code === "EPERM")) return "permission";
  if ("code" in error && error.code === "EROFS") return "read-only";
  if ("code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT")) return "disk-full";
  // Stored numbers are never that large.
  if (error instanceof RangeError && "code" in error && error.code === "ERR_OUT_OF_RANGE") return "corrupt";
  if ("code" in error && error.code === "ENOENT") return "missing-folder";
  if ("code" in error && (error.code === "EISDIR" || error.code === "ENOTDIR")) return "not-openable";
  const whole = "errcode" in error && typeof error.errcode === "number" ? error.errcode : undefined;
  if (whole === NO_ROOM_FOR_SHARED_MEMORY) return "disk-full";
  const code = whole === undefined ? undefined : whole & 0xff;
  const reason = code === undefined ? undefined : REASONS[code];
  // SQLite reports a folder as an I/O error.
  if (reason === "medium" && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return "not-openable";
  return reason === "not-openable" ? diagnoseOpenFailure(path) : reason;
}

/** Returns errors that are not about the file unchanged. */
export function toStoreError(error: unknown, path: string): unknown {
  const reason = findReason(error, path);
  if (reason === undefined) return error;
  const text = `A call to the store ${path} failed: ${ADVICE[reason]}.`;
  const code = reason === "not-a-database" ? "config-invalid" : "store-unavailable";
  const details = { key: "store", path, reason };
  return new PalimpsestError(code, text, { cause: error, details, retryable: findRetryable(reason) });
}

function diagnoseOpenFailure(path: string): SqliteReason {
  try {
    if (!statSync(dirname(path)).isDirectory()) return "missing-folder";
    accessSync(dirname(path), constants.W_OK | constants.X_OK);
    if (statSync(path, { throwIfNoEntry: false })?.isFile() === true) accessSync(path, constants.R_OK | constants.W_OK);
    return "not-openable";
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ENOENT" ? "missing-folder" : "permission";
  }
}
