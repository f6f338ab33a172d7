/** What PostgreSQL, or the way to it, says when it cannot go on, as what somebody should do about it. */
import { PalimpsestError } from "../../core/errors.ts";
import { type FailureReason, retryableAfter } from "../waiting-helps.ts";

export type PostgresReason = Extract<
  FailureReason,
  | "unreachable"
  | "connection-lost"
  | "restarting"
  | "too-many-connections"
  | "busy"
  | "timeout"
  | "contention"
  | "standby"
  | "disk-full"
  | "out-of-memory"
  | "password"
  | "missing-database"
  | "permission"
  | "missing-tables"
  | "corrupt"
>;

/** What a server says, by its five characters or by their first two. */
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

/** The driver's own words, which carry no code. */
const BY_WORDS: readonly (readonly [RegExp, PostgresReason])[] = [
  [/Query read timeout/, "timeout"],
  [/timeout exceeded when trying to connect/, "busy"],
  [/connection timeout|timeout expired/, "unreachable"],
  [/Connection terminated|connection error and is not queryable|Client was closed|not queryable/, "connection-lost"],
  [/password must be a string|SASL/, "password"],
];

const ADVICE: Readonly<Record<PostgresReason, string>> = {
  unreachable: "nobody answers there. Check host and port, and that the server runs and may be reached from here",
  "connection-lost": "the connection was lost. Try again: whoever repeats a message with its id writes it once",
  restarting: "the server is starting or stopping. Try again in a moment",
  "too-many-connections": "it takes no more connections. Raise max_connections, use a pooler, or open fewer",
  busy: "all connections of this process were in use for too long. Try again, or allow it more of them",
  timeout: "it took too long. Try again, and look what keeps the server busy",
  contention: "others were writing to the same rows all the time. Try again",
  standby: "it takes no writes: a standby, or a server that was set so. Connect to the primary",
  "disk-full": "its disk is full or failing. Make room there and try again; nothing was written",
  "out-of-memory": "it ran out of memory. Try again, and give the server more or ask less of it at once",
  password: "it refuses this user or password. Correct them in the address, or let the user in on the server",
  "missing-database": "there is no such database. Create it, or correct the address",
  permission: "this user may not do that. Grant it the schema palimpsest and the right to create it",
  "missing-tables": "its tables are gone. Open the store again to create them, or restore a backup",
  corrupt: "it is damaged. Stop writing, keep a copy, and restore a backup",
};

/** Those pass by themselves: who waits a little finds the server again. */
export const PASSING: ReadonlySet<PostgresReason> = new Set<PostgresReason>([
  "unreachable",
  "connection-lost",
  "restarting",
  "too-many-connections",
]);

/** Those end a statement without saying whether it was carried out. */
export const OPEN_ENDED: ReadonlySet<PostgresReason> = new Set<PostgresReason>([
  "unreachable",
  "connection-lost",
  "restarting",
  "timeout",
]);

/** Why it failed; `undefined` for errors that are not about the server, such as a mistake in a statement. */
export function findReason(error: unknown): PostgresReason | undefined {
  if (error instanceof AggregateError) return error.errors.map(findReason).find((reason) => reason !== undefined);
  if (!(error instanceof Error)) return undefined;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  const known = BY_SYSTEM[code] ?? BY_STATE[code] ?? BY_STATE[code.slice(0, 2)];
  return known ?? BY_WORDS.find(([words]) => words.test(error.message))?.[1];
}

interface Failed {
  /** Of the store. */
  readonly name: string;
  /** Something was to be written, and nobody said whether it was. */
  readonly isOutcomeUnknown?: boolean | undefined;
}

/** Nothing that is not about the server is hidden: it comes back as it was. */
export function toStoreError(error: unknown, { name, isOutcomeUnknown = false }: Failed): unknown {
  if (isTooLong(error)) {
    const text =
      "An id is too long for PostgreSQL. Use at most 2,000 bytes for the ids of tenant, session and message.";
    return new PalimpsestError("message-invalid", text, { cause: error });
  }
  const reason = findReason(error);
  if (reason === undefined) return error;
  const text = `The store ${name} did not answer: ${ADVICE[reason]}.`;
  const details = { key: "store", reason, ...(isOutcomeUnknown && { outcome: "unknown" }) };
  const retryable = retryableAfter(reason);
  return new PalimpsestError("store-unavailable", text, { cause: error, details, retryable });
}

/** Somebody wrote at the same instant what the guard had not seen yet: the same as a guard that refuses. */
export function isRefusal(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "23505" || error.code === "23503");
}

function isTooLong(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "54000" && /index row/.test(error.message);
}
