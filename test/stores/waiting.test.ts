/** Whether a retry can help, by store and vendor error. */
import { expect, test } from "vitest";
import { toStoreError as ofD1 } from "../../src/stores/d1/d1-driver.ts";
import { mediumError } from "../../src/stores/jsonl/medium-error.ts";
import { toStoreError as ofPostgres } from "../../src/stores/postgres/postgres-failure.ts";
import { toStoreError as ofSqlite } from "../../src/stores/sqlite/sqlite-failure.ts";

const vendorError = (more: object, message = "") => Object.assign(new Error(message), more);

const fromSystem = (code: string) =>
  mediumError({ verb: "write to", path: "/x" }, vendorError({ code, syscall: "write" }));
const fromSqlite = (errcode: number) => ofSqlite(vendorError({ errcode }), "/x");
const fromPostgres = (code: string) => ofPostgres(vendorError({ code }), { name: "postgres" });
const fromD1 = (words: string) => ofD1(vendorError({}, `D1_ERROR: ${words}`), { name: "d1", isWrite: true });

interface VendorErrorCase {
  readonly store: string;
  readonly says: string;
  readonly means: string;
  readonly error: unknown;
}

const rows = (
  store: string,
  make: (says: string) => unknown,
  said: Readonly<Record<string, string>>,
): readonly VendorErrorCase[] =>
  Object.entries(said).map(([says, means]) => ({ store, says, means, error: make(says) }));

test.each([
  ...rows("jsonl", fromSystem, {
    ENOSPC: "full",
    EDQUOT: "over its quota",
    EMFILE: "too many files",
    EIO: "a disk that failed once",
    EAGAIN: "whatever else passes",
  }),
  ...rows("sqlite", (code) => fromSqlite(Number(code)), {
    5: "busy",
    6: "locked",
    261: "busy with recovery",
    13: "full",
    10: "a disk that failed once",
    7: "no memory",
  }),
  ...rows("postgres", fromPostgres, {
    "57P03": "starting",
    "57P01": "stopping",
    "53300": "too many connections",
    "08006": "connection lost",
    ECONNRESET: "connection lost",
    ECONNREFUSED: "not there yet",
    "53100": "full",
    "40001": "others were faster",
    "57014": "too slow",
    "25006": "a standby, which may become the primary",
  }),
  ...rows("d1", fromD1, {
    "Network connection lost.": "connection lost",
    "D1 DB is overloaded. Too many requests queued.": "busy",
    "D1 DB storage operation exceeded timeout": "too slow",
    "Exceeded maximum DB size.": "full",
  }),
])("an error is retryable when $store reports $says: $means", ({ error }) => {
  expect(error).toMatchObject({ code: "store-unavailable", retryable: true });
});

test.each([
  ...rows("jsonl", fromSystem, {
    EACCES: "permission",
    EPERM: "permission",
    EROFS: "read-only file system",
    ENOENT: "gone",
    ENOTDIR: "something else there",
    EISDIR: "something else there",
    EFBIG: "too large",
  }),
  ...rows("sqlite", (code) => fromSqlite(Number(code)), {
    8: "read-only",
    1032: "read-only since it was opened",
    3: "permission",
    23: "permission",
    14: "cannot be opened",
    11: "damaged",
    1: "changed outside of Palimpsest",
  }),
  ...rows("postgres", fromPostgres, {
    "28P01": "wrong password",
    "28000": "unknown role",
    "3D000": "unknown database",
    "42501": "permission",
    EACCES: "a socket that this user may not use",
    "42P01": "no tables",
    XX001: "damaged",
  }),
  ...rows("d1", fromD1, {
    "attempt to write a readonly database: SQLITE_READONLY": "read-only",
    "database disk image is malformed: SQLITE_CORRUPT": "damaged",
    "no such table: entries: SQLITE_ERROR": "changed outside of Palimpsest",
  }),
])("an error is not retryable when $store reports $says: $means", ({ error }) => {
  expect(error).toMatchObject({ code: "store-unavailable", retryable: false });
});

test("an error is not retryable when a file is not a database", () => {
  expect(fromSqlite(26)).toMatchObject({ code: "config-invalid", retryable: false });
});
