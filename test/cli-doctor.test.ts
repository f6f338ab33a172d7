/** `palimpsest doctor` and `palimpsest token`: findings, repairs, files and exit codes. */
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, test } from "vitest";
import { examinePackages, isInRange, PURPOSES } from "../src/cli/doctor/examine-packages.ts";
import { openPalimpsest } from "../src/compose.ts";
import { readTokens } from "../src/server/access/token-file.ts";
import { hashToken } from "../src/server/access/tokens.ts";
import { openSqliteStore } from "../src/stores/sqlite/open-sqlite-store.ts";
import { batchOf, headOf, pinNote, SESSION } from "../src/testing/store-contract/contract-log.ts";
import { repositoryRoot } from "./support/read-repository.ts";
import { runCommand } from "./support/run-command.ts";
import { startTestServer } from "./support/start-server.ts";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-doctor-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface DoctorFinding {
  readonly name: string;
  readonly state: string;
  readonly text: string;
  readonly advice?: string;
}

function aHome(): string {
  const home = mkdtempSync(join(folder, "home-"));
  chmodSync(home, 0o700);
  return home;
}

async function examine(home: string, args: readonly string[] = [], environment: Readonly<Record<string, string>> = {}) {
  // A separate port, because the default one may be in use on this machine.
  const port = args.includes("--port") ? [] : ["--port", "0"];
  const { code, out } = await runCommand(["doctor", "--json", ...port, ...args], {
    PALIMPSEST_HOME: home,
    ...environment,
  });
  const { isWell, findings }: { isWell: boolean; findings: readonly DoctorFinding[] } = JSON.parse(out);
  expect(isWell).toBe(code === 0);
  for (const { state, advice } of findings) expect(state === "good").toBe(advice === undefined);
  return { code, of: (name: string) => findings.filter((finding) => finding.name === name), text: out };
}

async function fill(home: string): Promise<void> {
  const palimpsest = await openPalimpsest({ store: `sqlite:${join(home, "palimpsest.db")}` });
  await (await palimpsest.session(SESSION)).append([{ role: "user", content: "Hello." }]);
  await palimpsest.close();
}

/** Damages a table's first page: changes the number of cells, at byte 3 of the page's header. */
function damagePage(path: string, table: string): void {
  const database = new DatabaseSync(path);
  const root = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").get(table)?.rootpage;
  const size = database.prepare("PRAGMA page_size").get()?.page_size;
  database.close();
  const file = openSync(path, "r+");
  writeSync(file, Buffer.from([0x00, 0xff]), 0, 2, (Number(root) - 1) * Number(size) + 3);
  closeSync(file);
}

/** Fills the first page of a table or an index with zeros, and returns the content of the file. */
function losePage(path: string, name: string): Buffer {
  const database = new DatabaseSync(path);
  const root = Number(database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").get(name)?.rootpage);
  const size = Number(database.prepare("PRAGMA page_size").get()?.page_size);
  database.close();
  const content = readFileSync(path).fill(0, (root - 1) * size, root * size);
  writeFileSync(path, content);
  return content;
}

/** Place of the application id in the header of a SQLite file. */
const APPLICATION_ID_AT = 68;

describe("palimpsest doctor", () => {
  test("reports no fault in an imported fork", async () => {
    const home = aHome();
    const there = await openPalimpsest({ store: `sqlite:${join(home, "palimpsest.db")}` });
    const here = await openPalimpsest();
    const parent = await here.session("parent");
    await parent.append([{ role: "user", content: "Hello." }]);
    await parent.pin({ note: "Ask for the harbour." });
    const fork = await parent.fork(1);
    await fork.pin({ note: "Ask for the pier." });
    await there.importSession(here.exportSession(fork.id));
    await here.close();
    await there.close();
    const { code, of } = await examine(home, ["--repair"]);
    expect([code, of("sessions").map(({ state }) => state)]).toEqual([0, ["good"]]);
  });

  test("warns that the home folder does not exist yet, exits with 0, and does not create it", async () => {
    const home = join(aHome(), "not-there");
    const { code, of } = await examine(home);
    expect([code, of("node")[0]?.state, of("port")[0]?.state]).toEqual([0, "good", "good"]);
    expect([of("home")[0]?.state, of("store")[0]?.state]).toEqual(["warning", "warning"]);
    expect(existsSync(home)).toBe(false);
  });

  test("reports an empty file and a folder in place of the store, and writes nothing into them", async () => {
    const home = aHome();
    const path = join(home, "palimpsest.db");
    writeFileSync(path, "");
    const empty = await examine(home);
    expect([empty.code, empty.of("store")[0]?.state]).toEqual([1, "bad"]);
    expect(empty.of("store")[0]?.text).toContain("is an empty file");
    expect(statSync(path).size).toBe(0);
    rmSync(path);
    mkdirSync(path);
    const folder = await examine(home);
    expect([folder.code, folder.of("store")[0]?.state]).toEqual([1, "bad"]);
    expect(folder.of("store")[0]?.text).toContain("Check that the path names a file");
    expect(readdirSync(path)).toEqual([]);
  });

  test("opens the store and checks its sessions", async () => {
    const home = aHome();
    await fill(home);
    const { code, of } = await examine(home);
    expect([code, of("home")[0]?.state]).toEqual([0, "good"]);
    expect(of("store")[0]?.text).toContain("1 session, 1 message");
    expect(of("sessions")[0]?.text).toBe("1 session checked, each matches its log");
    expect((await examine(home, ["--session", "none"])).of("sessions")[0]).toMatchObject({ state: "bad" });
  });

  test("finds a head that does not match its log, and rebuilds it with --repair", async () => {
    const home = aHome();
    await fill(home);
    const store = await openSqliteStore(join(home, "palimpsest.db"));
    const tenant = store.tenant("local");
    const batch = batchOf(await headOf(tenant), pinNote);
    await tenant.append(SESSION, { ...batch, head: { ...batch.head, messageCount: 7 } });
    await store.close();
    const sick = await examine(home);
    expect([sick.code, sick.of("sessions")[0]?.text]).toEqual([1, `${SESSION}: its head does not match its log`]);
    expect(sick.of("sessions")[0]?.advice).toContain("doctor --repair");
    const repaired = await examine(home, ["--repair"]);
    expect([repaired.code, repaired.of("sessions")[0]?.state]).toEqual([0, "warning"]);
    expect((await examine(home)).of("sessions")[0]?.state).toBe("good");
    const palimpsest = await openPalimpsest({ store: `sqlite:${join(home, "palimpsest.db")}` });
    expect(await palimpsest.describe(SESSION)).toMatchObject({ messageCount: 1 });
    await palimpsest.close();
  });

  test("finds a damaged page that no session needs, and names its table", async () => {
    const home = aHome();
    const path = join(home, "palimpsest.db");
    await fill(home);
    expect((await examine(home)).of("file")).toMatchObject([{ state: "good" }]);
    // Opening a store reads no chunks.
    damagePage(path, "blob_chunks");
    const { code, of } = await examine(home);
    expect([code, of("sessions")[0]?.state, of("file")[0]?.state]).toEqual([1, "good", "bad"]);
    expect(of("file")[0]?.text).toContain("table blob_chunks: ");
    expect(of("file")[0]?.advice).toContain("copy it");
    expect(of("file")[1]).toMatchObject({ state: "warning", text: "1 session and 1 entry can still be read" });
    expect(of("file")[1]?.advice).toContain("Restore a backup");
  });

  test("names the damaged table of a file that cannot be opened for writing, and its sessions can be exported", async () => {
    const home = aHome();
    await fill(home);
    damagePage(join(home, "palimpsest.db"), "migrations");
    const { code, of } = await examine(home);
    expect([code, of("sessions")[0]?.state]).toEqual([1, "good"]);
    expect(of("file").map(({ text }) => text)).toEqual([
      expect.stringContaining("table migrations: "),
      "1 session and 1 entry can still be read",
    ]);
    expect(of("store")[0]?.text).toMatch(/was opened for reading only; local has 1 session, 1 message/);
    const exported = await runCommand(["export", SESSION], { PALIMPSEST_HOME: home });
    expect([exported.code, exported.out]).toEqual([0, expect.stringContaining("Hello.")]);
  });

  test("names the table `sessions` if it is damaged, and counts the entries that can still be read", async () => {
    const home = aHome();
    await fill(home);
    damagePage(join(home, "palimpsest.db"), "sessions");
    const { code, of } = await examine(home);
    expect([code, of("store")[0]?.state]).toEqual([1, "bad"]);
    expect(of("file")[0]?.text).toContain("table sessions: ");
    expect(of("file").at(-1)?.text).toBe("1 session and 1 entry can still be read");
  });

  const ROOTS = ["sessions_newest", "sqlite_autoindex_sessions_2", "blobs", "heads", "word_places"];

  test.each(ROOTS)("reads what is left if the first page of %s is lost, and does not change the file", async (name) => {
    const home = aHome();
    const path = join(home, "palimpsest.db");
    await fill(home);
    const content = losePage(path, name);
    const { code, of } = await examine(home);
    expect([code, of("file")[0]?.text]).toEqual([1, expect.stringMatching(/^table \w+: .*malformed/)]);
    expect(of("file").at(-1)?.text).toBe("1 session and 1 entry can still be read");
    expect(of("sessions")[0]?.state).toBe(name === "heads" ? "bad" : "good");
    expect(readFileSync(path).equals(content)).toBe(true);
  });

  test("lists the sessions that can be read whole, although another one is damaged", async () => {
    const home = aHome();
    const path = join(home, "palimpsest.db");
    await fill(home);
    const palimpsest = await openPalimpsest({ store: `sqlite:${path}` });
    await (await palimpsest.session("other")).append([{ id: "m", role: "user", content: "Good evening." }]);
    await palimpsest.close();
    losePage(path, "sessions_newest");
    const database = new DatabaseSync(path);
    database.exec("UPDATE sessions SET lineage = '[[1]]' WHERE id = 'other'");
    database.close();
    const { of } = await examine(home);
    expect(of("sessions").map(({ text }) => text)).toEqual([
      expect.stringMatching(/^other: /),
      `1 of 2 sessions can be read whole: ${SESSION}`,
    ]);
  });

  test("reads a file whose mark of a store was changed", async () => {
    const home = aHome();
    const path = join(home, "palimpsest.db");
    await fill(home);
    const content = readFileSync(path);
    content[APPLICATION_ID_AT] = 0x51;
    writeFileSync(path, content);
    const { code, of } = await examine(home);
    expect([code, of("sessions")[0]?.state]).toEqual([1, "good"]);
    expect(of("file")[0]?.text).toContain("page 1: the application id is");
    expect(readFileSync(path).equals(content)).toBe(true);
  });

  test("names the first page of a file that SQLite cannot read at all", async () => {
    const home = aHome();
    await fill(home);
    const file = openSync(join(home, "palimpsest.db"), "r+");
    // The list of tables is in the first page, after the header of 100 bytes.
    writeSync(file, Buffer.alloc(200, 0xff), 0, 200, 104);
    closeSync(file);
    const { code, of, text } = await examine(home);
    expect([code, of("store")[0]?.state]).toEqual([1, "bad"]);
    expect(of("file")[0]).toMatchObject({ state: "bad", text: expect.stringMatching(/^page 1: /) });
    expect(of("file")[1]?.advice).toContain("keep the file");
    expect(text).not.toMatch(/delete|remove/i);
  });

  test("finds an index of sessions that differs from its table", async () => {
    const home = aHome();
    const path = join(home, "palimpsest.db");
    await fill(home);
    const database = new DatabaseSync(path);
    const root = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'sessions_newest'").get()?.rootpage;
    const size = Number(database.prepare("PRAGMA page_size").get()?.page_size);
    database.close();
    const content = readFileSync(path);
    const at = content.indexOf("local", (Number(root) - 1) * size);
    content.write("locam", at);
    writeFileSync(path, content);
    const { code, of } = await examine(home);
    expect([code, of("file")[0]?.text]).toEqual([1, expect.stringContaining("missing from index sessions_newest")]);
  });

  test("reports problems with a store, a home folder, a configuration, tokens and a port", async () => {
    const home = aHome();
    writeFileSync(join(home, "palimpsest.db"), "no database ".repeat(500));
    writeFileSync(join(home, "palimpsest.config.json"), '{"policy": ');
    writeFileSync(join(home, "tokens.json"), "{}", { mode: 0o644 });
    chmodSync(home, 0o755);
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    const address = taken.address();
    const port = typeof address === "object" && address !== null ? `${address.port}` : "";
    const { code, of } = await examine(home, ["--port", port]);
    taken.close();
    expect(code).toBe(1);
    expect(of("home")[0]).toMatchObject({ state: "warning", advice: `Run: chmod 700 ${home}` });
    for (const name of ["store", "configuration", "tokens", "port"])
      expect(of(name)[0]).toMatchObject({ state: "bad" });
    expect(of("tokens")[0]?.text).toContain("chmod 600");
  });

  test("lists optional packages, and reports those that are missing or have another version", async () => {
    const { peerDependencies } = JSON.parse(readFileSync(join(repositoryRoot, "package.json"), "utf8"));
    expect(Object.keys(PURPOSES).toSorted()).toEqual(Object.keys(peerDependencies).toSorted());
    const [installed] = (await examine(aHome())).of("packages");
    expect(installed).toMatchObject({ state: "good", text: expect.stringMatching(/ai 7\.\d.*pg 8\./) });

    const elsewhere = mkdtempSync(join(folder, "app-"));
    const put = (name: string, version: string) => {
      mkdirSync(join(elsewhere, "node_modules", name), { recursive: true });
      writeFileSync(join(elsewhere, "node_modules", name, "package.json"), JSON.stringify({ name, version }));
    };
    const examineIn = (store: string) => examinePackages(store, join(elsewhere, "server.js"));
    const words = (findings: ReturnType<typeof examineIn>) => findings.map(({ state, text }) => `${state}: ${text}`);
    expect(words(examineIn("postgres://db/chats"))).toEqual([
      "warning: ai is not installed: only the offline model answers chats",
      "bad: pg is not installed, but the store needs it",
      "good: No optional package is installed",
      expect.stringContaining("@ai-sdk/anthropic (Anthropic models)"),
    ]);
    put("ai", "6.4.1");
    put("pg", "8.22.9");
    put("@ai-sdk/openai", "4.9.0");
    const found = examineIn("postgres://db/chats");
    expect(words(found).slice(0, 3)).toEqual([
      `warning: ai is 6.4.1, but ${peerDependencies.ai} is needed for models`,
      `bad: pg is 8.22.9, but ${peerDependencies.pg} is needed for a store on PostgreSQL`,
      "good: @ai-sdk/openai 4.9.0, ai 6.4.1, pg 8.22.9",
    ]);
    expect(found[0]?.advice).toBe(`Run: npm install "ai@${peerDependencies.ai}"`);
    expect(examineIn("sqlite:chats.db")[1]?.state).toBe("warning");
  });

  test.each([
    ["7.0.0", "^7.0.0", true],
    ["7.3.1", "^7.0.0", true],
    ["8.0.0", "^7.0.0", false],
    ["7.0.0-beta.2", "^7.0.0", false],
    ["7.1.0-beta.2", "^7.0.0", true],
    ["0.6.4", "^0.6.0", true],
    ["0.7.0", "^0.6.0", false],
    ["8.22.9", "^8.23.0", false],
    ["0.18.12", "0.18.12", true],
    ["0.18.13", "0.18.12", false],
  ])("decides whether version %s is in the range %s: %s", (version, range, expected) => {
    expect(isInRange(version, range)).toBe(expected);
  });

  test("reports that a server ignores a tokens file that no option names", async () => {
    const home = aHome();
    await runCommand(["token", "add", "--tenant", "anna"], { PALIMPSEST_HOME: home });
    const path = join(home, "tokens.json");
    expect((await examine(home)).of("tokens")[0]).toMatchObject({
      state: "warning",
      text: expect.stringContaining("for anna; npm run palimpsest -- serve does not use it"),
      advice: expect.stringContaining(`--tokens ${path}`),
    });
    expect((await examine(home, ["--tokens", path])).of("tokens")[0]).toMatchObject({ state: "good" });
  });

  test("recognizes a Palimpsest server at the port", async () => {
    await using server = await startTestServer();
    const { of } = await examine(aHome(), ["--port", `${server.server.port}`]);
    expect(of("port")[0]).toMatchObject({
      state: "good",
      text: expect.stringContaining("is in use by a palimpsest server"),
    });
  });

  test("prints the names of models and never a key", async () => {
    const key = ["sk", "-ant-", "api03-", "Zq8Wm3Lx9Tn2Vb7Rc5Yd1Kf6Hj4Gs0Pa"].join("");
    const { of, text } = await examine(aHome(), [], { ANTHROPIC_API_KEY: key });
    expect(of("models")[0]?.text).toContain("anthropic:");
    expect(text).not.toContain(key);
  });

  test("prints findings as lines, with the advice after an arrow", async () => {
    const { code, out } = await runCommand(["doctor", "--port", "0"], { PALIMPSEST_HOME: aHome() });
    expect([code, out]).toEqual([0, expect.stringMatching(/^ok {4}node: Node .*\n.*→ /s)]);
  });
});

describe("palimpsest token", () => {
  test("adds a token with a role, a session and an expiry time, and rotates it", async () => {
    const environment = { PALIMPSEST_HOME: aHome() };
    const path = join(environment.PALIMPSEST_HOME, "tokens.json");
    const grant = ["--role", "read", "--session", "sess_1", "--expires", "30d"];
    const added = await runCommand(["token", "add", "--tenant", "anna", ...grant], environment);
    expect(added.err).toMatch(/Token t-\w+ of anna \(read, session sess_1, until \d{4}-/);
    const [old] = readTokens(path);
    const rotated = await runCommand(["token", "rotate", old?.id ?? "", "--grace", "10m"], environment);
    const [kept, next] = readTokens(path);
    expect(next).toMatchObject({ tenantId: "anna", role: "read", sessionId: "sess_1", expiresAt: old?.expiresAt });
    expect([next?.hash, kept?.hash]).toEqual([hashToken(rotated.out.trim()), old?.hash]);
    expect(Date.parse(kept?.expiresAt ?? "") - Date.now()).toBeLessThanOrEqual(600_000);
    expect((await runCommand(["token", "list"], environment)).out).toContain("anna (read, session sess_1, until");
  });

  test.each([
    [["--role", "owner"], /--role: expected one of read, chat, admin, found owner/],
    [["--expires", "soon"], /--expires: expected a time such as 30d or 2030-01-31, found soon/],
    [["--expires", "0d"], /--expires: 0d is not in the future/],
    [["--role", "read", "--role", "admin"], /--role may be given only once/],
    [["--expires", "2020-01-01"], /--expires: 2020-01-01 is not in the future/],
    [["--session", ""], /--session: expected an id of 1 to 200 characters/],
    [["--session", ".."], /--session: expected an id of 1 to 200 characters/],
  ])("refuses the option and value %j", async (args, message) => {
    const environment = { PALIMPSEST_HOME: aHome() };
    const { code, err } = await runCommand(["token", "add", "--tenant", "anna", ...args], environment);
    expect([code, err]).toEqual([2, expect.stringMatching(message)]);
    expect(readTokens(join(environment.PALIMPSEST_HOME, "tokens.json"))).toEqual([]);
  });

  test("shows a token once, lists it without its value, and removes it", async () => {
    const environment = { PALIMPSEST_HOME: join(aHome(), "new") };
    const path = join(environment.PALIMPSEST_HOME, "tokens.json");
    const added = await runCommand(["token", "add", "--tenant", "anna"], environment);
    const token = added.out.trim();
    expect([added.code, readTokens(path)[0]?.hash]).toEqual([0, hashToken(token)]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const listed = await runCommand(["token", "list", "--json"], environment);
    const [row] = JSON.parse(listed.out);
    expect([row.tenantId, listed.out.includes(token), listed.out.includes(hashToken(token))]).toEqual([
      "anna",
      false,
      false,
    ]);
    expect((await runCommand(["token", "remove", row.id], environment)).code).toBe(0);
    expect((await runCommand(["token", "remove", row.id], environment)).code).toBe(4);
    expect((await runCommand(["token", "list"], environment)).err).toContain("There are no tokens");
  });

  test("refuses an invalid command with a message", async () => {
    const environment = { PALIMPSEST_HOME: aHome() };
    mkdirSync(join(environment.PALIMPSEST_HOME, "tokens.json"));
    for (const args of [["add"], ["add", "--tenant", ""], ["list", "x"], ["remove"], ["burn"], ["list"]]) {
      const { code, err } = await runCommand(["token", ...args], environment);
      expect([args, code]).toEqual([args, 2]);
      expect(err).not.toContain("    at ");
    }
  });
});
