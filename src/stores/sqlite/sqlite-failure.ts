/** What SQLite says when it cannot go on, as what somebody should do about it. */
import { accessSync, constants, statSync } from "node:fs";
import { dirname } from "node:path";
import { PalimpsestError } from "../../core/errors.ts";
import { type FailureReason, retryableAfter } from "../waiting-helps.ts";

/** Result codes by their lowest byte, as SQLite documents them. */
const REASONS: Readonly<Record<number, SqliteReason>> = {
  // Every statement here is written down and tested, so it is the tables that are not as they were made.
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

export type SqliteReason = Extract<
  FailureReason,
  | "locked"
  | "read-only"
  | "disk-full"
  | "permission"
  | "corrupt"
  | "changed"
  | "not-a-database"
  | "missing-folder"
  | "not-openable"
  | "out-of-memory"
  | "medium"
>;

const ADVICE: Readonly<Record<SqliteReason, string>> = {
  locked: "another process holds it for writing. Try again, or end the process that holds it",
  "read-only":
    "it can be read and not written. Make the file and its folder writable for this user, or choose another file",
  "disk-full": "the disk is full. Make room and try again; nothing was written",
  permission: "this user may not open it. Give the user rights to the file and its folder, or choose another file",
  corrupt: "it is damaged. Stop writing, keep a copy, and restore a backup",
  changed: "its tables are not as they were made: it is damaged, or was changed by hand. Restore a backup",
  "not-a-database": "it is no SQLite database. Choose another file",
  "missing-folder": "its folder does not exist. Create the folder, or choose another file",
  "not-openable": "it cannot be opened. Check that the path names a file and that its disk is there",
  "out-of-memory": "there is not enough memory. Try again when there is",
  medium: "the disk did not do what was asked. Check the disk, then try again",
};

/** Why SQLite failed; `undefined` for errors that are not about the file, such as a value that a table refuses. */
export function findReason(error: unknown, path: string): SqliteReason | undefined {
  if (!(error instanceof Error)) return undefined;
  if ("code" in error && (error.code === "EACCES" || error.code === "EPERM")) return "permission";
  if ("code" in error && error.code === "EROFS") return "read-only";
  if ("code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT")) return "disk-full";
  // No number that we write is that large.
  if (error instanceof RangeError && "code" in error && error.code === "ERR_OUT_OF_RANGE") return "corrupt";
  if ("code" in error && error.code === "ENOENT") return "missing-folder";
  if ("code" in error && (error.code === "EISDIR" || error.code === "ENOTDIR")) return "not-openable";
  const code = "errcode" in error && typeof error.errcode === "number" ? error.errcode & 0xff : undefined;
  const reason = code === undefined ? undefined : REASONS[code];
  return reason === "not-openable" ? lookCloser(path) : reason;
}

/** Nothing about the medium is hidden: what is not about it comes back as it was. */
export function toStoreError(error: unknown, path: string): unknown {
  const reason = findReason(error, path);
  if (reason === undefined) return error;
  const text = `The store ${path} did not answer: ${ADVICE[reason]}.`;
  const code = reason === "not-a-database" ? "config-invalid" : "store-unavailable";
  const details = { key: "store", path, reason };
  return new PalimpsestError(code, text, { cause: error, details, retryable: retryableAfter(reason) });
}

function lookCloser(path: string): SqliteReason {
  try {
    if (!statSync(dirname(path)).isDirectory()) return "missing-folder";
    accessSync(dirname(path), constants.W_OK | constants.X_OK);
    if (statSync(path, { throwIfNoEntry: false })?.isFile() === true) accessSync(path, constants.R_OK | constants.W_OK);
    return "not-openable";
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ENOENT" ? "missing-folder" : "permission";
  }
}
