/** Translates failures of PostgreSQL and of the network into `store-unavailable` errors that say what to do. */
import { PalimpsestError } from "../../core/errors.ts";
import { type FailureReason, findRetryable } from "../shared/failure-reasons.ts";

export type PostgresReason = keyof typeof ADVICE;

/** Reasons by SQLSTATE, or by its first two characters. */
const BY_STATE: Readonly<Record<string, PostgresReason>> = {
  "08": "connection-lost",
  "57P01": "restarting",
  "57P02": "restarting",
  "57P03": "restarting",
  "57P05": "connection-lost",
  "53300": "too-many-connections",
  "57014": "timeout",
  "40001": "contention",
  "40P01": "contention",
  "55P03": "contention",
  "25006": "standby",
  "53100": "disk-full",
  "58030": "disk-full",
  "53200": "out-of-memory",
  "28": "password",
  "3D000": "missing-database",
  "42501": "permission",
  "3F000": "missing-tables",
  "42P01": "missing-tables",
  XX001: "corrupt",
  XX002: "corrupt",
};

const BY_SYSTEM: Readonly<Record<string, PostgresReason>> = {
  ECONNREFUSED: "unreachable",
  ENOTFOUND: "unreachable",
  EAI_AGAIN: "unreachable",
  EHOSTUNREACH: "unreachable",
  ENETUNREACH: "unreachable",
  ENOENT: "unreachable",
  EACCES: "password",
  ETIMEDOUT: "unreachable",
  ECONNRESET: "connection-lost",
  EPIPE: "connection-lost",
};

/** Messages of the driver that have no code. */
const BY_MESSAGE: readonly (readonly [RegExp, PostgresReason])[] = [
  [/Query read timeout/, "timeout"],
  [/timeout exceeded when trying to connect/, "busy"],
  [/connection timeout|timeout expired/, "unreachable"],
  [/Connection terminated|connection error and is not queryable|Client was closed|not queryable/, "connection-lost"],
  [/password must be a string|SASL/, "password"],
];

const ADVICE = {
  unreachable: "it cannot be reached. Check host and port, and that the server is running",
  "connection-lost": "the connection was lost. Try again: a message with the same id is stored once",
  restarting: "the server is starting or stopping. Try again in a moment",
  "too-many-connections": "it accepts no more connections. Raise max_connections, use a pooler, or open fewer",
  busy: "all connections of this process were in use for too long. Try again, or raise the number of connections",
  timeout: "it took too long. Try again, and check what keeps the server busy",
  contention: "other writers kept changing the same rows. Try again",
  standby: "it is read-only, because it is a standby or configured as read-only. Connect to the primary",
  "disk-full":
    "its disk is full or failing. Free disk space there. Reading and most deletions still work in the meantime, and appends " +
    "work again by themselves: a message with the same id is stored once",
  "out-of-memory": "it ran out of memory. Try again, or give the server more memory",
  password: "it rejected this user or password. Correct them in the address, or allow the user on the server",
  "missing-database": "there is no such database. Create it, or correct the address",
  permission: "this user lacks permission. Grant it the schema palimpsest and the right to create it",
  "missing-tables": "its tables are gone. Check that the address names the right database, or restore a backup",
  corrupt: "it is damaged. Stop writing, keep a copy, and restore a backup",
} as const satisfies Partial<Record<FailureReason, string>>;

const LOST: readonly unknown[] = ["unreachable", "connection-lost", "restarting"] satisfies PostgresReason[];

/** Returns true for a failure that ends by itself, so that a retry can succeed. */
export function isTransient(error: unknown): boolean {
  const reason = findReason(error);
  return LOST.includes(reason) || reason === "too-many-connections";
}

/** Returns whether a statement may or may not have run. */
export function hasUnknownOutcome(error: unknown): boolean {
  const reason = findReason(error);
  return LOST.includes(reason) || reason === "timeout" || isLogFailure(error);
}

/** The server ends itself when it cannot write its log, which may already contain the commit. */
function isLogFailure(error: unknown): boolean {
  return error instanceof Error && "file" in error && error.file === "xlog.c";
}

/** Returns why a call failed; undefined for errors not about the server, such as a mistake in a statement. */
export function findReason(error: unknown): PostgresReason | undefined {
  if (error instanceof AggregateError) return error.errors.map(findReason).find((reason) => reason !== undefined);
  if (!(error instanceof Error)) return undefined;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  const known = BY_SYSTEM[code] ?? BY_STATE[code] ?? BY_STATE[code.slice(0, 2)];
  return known ?? BY_MESSAGE.find(([words]) => words.test(error.message))?.[1];
}

interface FailureContext {
  readonly name: string;
  /** The write may or may not have happened. */
  readonly isOutcomeUnknown?: boolean | undefined;
}

/** Returns errors that are not about the server unchanged. */
export function toStoreError(error: unknown, { name, isOutcomeUnknown = false }: FailureContext): unknown {
  if (isIdTooLong(error)) {
    const text =
      "An id is too long for PostgreSQL. Use at most 2,000 bytes for the ids of tenant, session and message.";
    return new PalimpsestError("message-invalid", text, { cause: error });
  }
  const reason = findReason(error);
  if (reason === undefined) return error;
  const text = `A call to the store ${name} failed: ${ADVICE[reason]}.`;
  const details = { key: "store", reason, ...(isOutcomeUnknown && { outcome: "unknown" }) };
  const retryable = findRetryable(reason);
  return new PalimpsestError("store-unavailable", text, { cause: error, details, retryable });
}

/** Returns whether a concurrent write that the guard could not see broke a constraint. The batch is then not written. */
export function isConstraintViolation(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "23505" || error.code === "23503");
}

function isIdTooLong(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "54000" && /index row/.test(error.message);
}
