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

type VendorErrorCase = readonly [store: string, says: string, means: string, error: unknown];

const rows = (
  store: string,
  make: (says: string) => unknown,
  meanings: Readonly<Record<string, string>>,
): readonly VendorErrorCase[] => Object.entries(meanings).map(([says, means]) => [store, says, means, make(says)]);

test.each([
  ...rows("jsonl", fromSystem, {
    ENOSPC: "the disk is full",
    EDQUOT: "the quota is exceeded",
    EMFILE: "too many files are open",
    EIO: "the disk failed",
    EAGAIN: "the resource is temporarily unavailable",
  }),
  ...rows("sqlite", (code) => fromSqlite(Number(code)), {
    5: "the file is busy",
    6: "a table is locked",
    261: "the file is being recovered",
    13: "the disk is full",
    10: "the disk failed",
    7: "memory is exhausted",
  }),
  ...rows("postgres", fromPostgres, {
    "57P03": "the server is starting",
    "57P01": "the server is shutting down",
    "53300": "there are too many connections",
    "08006": "the connection was lost",
    ECONNRESET: "the connection was lost",
    ECONNREFUSED: "the server does not listen",
    "53100": "the disk is full",
    "40001": "a concurrent transaction won",
    "57014": "the statement timed out",
    "25006": "the server is a standby, which may become the primary",
  }),
  ...rows("d1", fromD1, {
    "Network connection lost.": "the connection was lost",
    "D1 DB is overloaded. Too many requests queued.": "the database is busy",
    "D1 DB storage operation exceeded timeout": "the statement timed out",
    "Exceeded maximum DB size.": "the database is full",
  }),
])("the %s error %s is retryable: %s", (_store, _says, _means, error) => {
  expect(error).toMatchObject({ code: "store-unavailable", retryable: true });
});

test.each([
  ...rows("jsonl", fromSystem, {
    EACCES: "permission is missing",
    EPERM: "permission is missing",
    EROFS: "the file system is read-only",
    ENOENT: "the file is missing",
    ENOTDIR: "a part of the path is not a folder",
    EISDIR: "the path is a folder",
    EFBIG: "the file is too large",
  }),
  ...rows("sqlite", (code) => fromSqlite(Number(code)), {
    8: "the file is read-only",
    1032: "the file was moved while it was open",
    3: "permission is missing",
    23: "permission is missing",
    14: "the file cannot be opened",
    11: "the file is damaged",
    1: "the schema was changed outside of Palimpsest",
  }),
  ...rows("postgres", fromPostgres, {
    "28P01": "the password is wrong",
    "28000": "the role is unknown",
    "3D000": "the database is unknown",
    "42501": "permission is missing",
    EACCES: "this user may not use the socket",
    "42P01": "a table is missing",
    XX001: "the data is damaged",
  }),
  ...rows("d1", fromD1, {
    "attempt to write a readonly database: SQLITE_READONLY": "the database is read-only",
    "database disk image is malformed: SQLITE_CORRUPT": "the database is damaged",
    "no such table: entries: SQLITE_ERROR": "the schema was changed outside of Palimpsest",
  }),
])("the %s error %s is not retryable: %s", (_store, _says, _means, error) => {
  expect(error).toMatchObject({ code: "store-unavailable", retryable: false });
});

test.each([
  ["jsonl", fromSystem("ENOSPC")],
  ["jsonl", fromSystem("EDQUOT")],
  ["sqlite", fromSqlite(13)],
  ["postgres", fromPostgres("53100")],
])("an error of %s about a full disk says what to do and what still works", (_store, error) => {
  const message = /Free disk space.* Reading and (?:most deletions|deleting) still work .* work again by themselves/;
  expect(error).toMatchObject({ code: "store-unavailable", message: expect.stringMatching(message) });
});

test("the sqlite error 26 is not retryable: the file is not a database", () => {
  expect(fromSqlite(26)).toMatchObject({ code: "config-invalid", retryable: false });
});
