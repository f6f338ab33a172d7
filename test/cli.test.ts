/**
 * The command `palimpsest`: its help, output and exit codes. Tests of pipes, signals and the entry point start a
 * process; the others run here, because starting one takes longer than most commands.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { COMMANDS } from "../src/cli/commands.ts";
import { EXIT_CODES } from "../src/cli/terminal/command.ts";
import { refuseOldNode } from "../src/cli/terminal/node-process.ts";
import { ownCommand, showFullCommands } from "../src/cli/terminal/own-command.ts";
import { openPalimpsest } from "../src/compose.ts";
import { ERROR_CODES } from "../src/core/errors.ts";
import { EMPTY_HEAD } from "../src/core/log/head.ts";
import type { Job, Jobs } from "../src/ports/jobs.ts";
import { openSqliteStore } from "../src/stores/sqlite/open-sqlite-store.ts";
import { newFolders } from "./support/new-folders.ts";
import { readImports } from "./support/read-imports.ts";
import { readSources } from "./support/read-repository.ts";
import { runCommand } from "./support/run-command.ts";
import { startCli } from "./support/start-cli.ts";
import { findSample } from "./support/transcript-samples.ts";

const newFolder = newFolders("cli");
let [folder, store] = ["", ""];
const run = (args: readonly string[], environment: Readonly<Record<string, string>> = { PALIMPSEST_STORE: store }) =>
  runCommand(args, environment);

const messageText = "the quick brown fox jumps over the lazy dog ".repeat(6);
const exchanges = (count: number) =>
  Array.from({ length: count }, (_, index) => [
    { role: "user", content: `Question ${index}: ${messageText}` },
    { role: "assistant", content: `Answer ${index}: ${messageText}` },
  ]).flat();

interface Imported {
  readonly title: string;
  readonly messages: number;
}

/** Jobs that are never run. */
const idle: Jobs = {
  submit: async (_job: Job) => undefined,
  work: () => new Promise(() => undefined),
  settle: async () => undefined,
  readDeadLetters: async () => [],
  drain: async () => undefined,
  close: async () => undefined,
};

/** A store with two sessions; each test gets a copy. */
const filled = join(newFolder(), "chats.db");
beforeAll(async () => {
  const at = `sqlite:${filled}`;
  const palimpsest = await openPalimpsest({ store: at, policy: "rolling-chat", jobs: idle, windowTokens: 100_000 });
  await (await palimpsest.create({ id: "plans", title: "Plans" })).append(exchanges(12));
  await (await palimpsest.create({ id: "keys" })).append({
    role: "user",
    content: `The key is AKIA${"IOSFODNN7QXAMPLZ"}.`,
  });
  await palimpsest.close();
});
beforeEach(() => {
  folder = newFolder();
  const path = join(folder, "chats.db");
  copyFileSync(filled, path);
  store = `sqlite:${path}`;
});

describe("palimpsest", () => {
  test("prints help for all commands and for each of them", async () => {
    const { code, out } = await startCli(["--help"]).ended;
    expect(code).toBe(0);
    for (const name of Object.keys(COMMANDS)) expect(out).toContain(`  ${name}`);
    for (const [name, { load }] of Object.entries(COMMANDS)) {
      const { usage, options, examples } = (await load()).command;
      expect(usage).toMatch(new RegExp(`^${name}\\b`));
      // These commands do not read sessions.
      expect(Object.keys(options).includes("store")).toBe(!["token", "init", "policies", "completions"].includes(name));
      // The output of mcp is the protocol, and that of completions a script.
      expect(Object.keys(options).includes("json")).toBe(!["mcp", "completions"].includes(name));
      // The gateway is for other programs, so one of its examples starts such a program.
      const own = examples.filter((example) => !example.startsWith("ANTHROPIC_BASE_URL="));
      expect(own.every((example) => example.startsWith(`palimpsest ${name}`))).toBe(true);
    }
    expect((await run(["export", "--help"])).out).toContain("--keep-secrets");
  });

  test("loads only the command line's modules and the error codes to print help", () => {
    const sources = readSources("src/**/*.ts");
    const reached = new Set(["src/cli/main.ts", "src/cli/run-cli.ts", "src/cli/terminal.ts"]);
    for (const file of reached) {
      for (const { kind, specifier = "" } of readImports(sources.get(file) ?? "")) {
        if (kind === "static" && specifier.startsWith(".")) reached.add(posix.join(posix.dirname(file), specifier));
      }
    }
    expect([...reached].filter((file) => !file.startsWith("src/cli/"))).toEqual(["src/core/errors.ts"]);
  });

  test("has an exit code for every error", () => {
    expect(Object.keys(EXIT_CODES).sort()).toEqual(Object.keys(ERROR_CODES).sort());
  });

  test.each([
    [["nothing"], {}, 2, "Unknown command nothing. The commands are serve, gateway, chat"],
    [["sesions"], {}, 2, "Unknown command sesions. Did you mean sessions?"],
    [["sessions", "--limt", "3"], {}, 2, "Unknown option --limt. Did you mean --limit?"],
    [["sessions"], { PALIMPSEST_HOME: "no-such-folder" }, 4, "PALIMPSEST_STORE"],
    [["sessions", "--what"], {}, 2, "Unknown option --what. The options are --store"],
    [["sessions", "-w"], {}, 2, "Unknown option -w."],
    [["sessions", "--limit"], {}, 2, "--limit takes a value: --limit <count>."],
    [["sessions", "--json=yes"], {}, 2, "--json takes no value."],
    [["sessions", "--what"], {}, 2, "npm run palimpsest -- sessions --help"],
    [["mcp", "--json"], {}, 2, "Unknown option --json."],
    [["gateway", "--openai", "api"], {}, 2, "openai: expected an address such as https://api.openai.com, found api."],
    [["gateway", "--openai", "http://:secret@host"], {}, 2, 'without a password, found "http://…@host".'],
    [["export"], { PALIMPSEST_STORE: "memory:" }, 2, "export <session>"],
    [["sessions", "--limit", "none"], { PALIMPSEST_STORE: "memory:" }, 2, "a whole number of at least 1"],
    [["sessions", "--store", "file:x"], {}, 2, "sqlite:"],
    [["export", "nobody"], { PALIMPSEST_STORE: "memory:" }, 4, "There is no session"],
    [["export", "nobody"], { PALIMPSEST_STORE: "memory:" }, 4, "npm run palimpsest -- sessions lists all sessions."],
    [["show", "nobody", "--store", "memory:"], {}, 4, "palimpsest -- sessions --store memory: lists all sessions."],
    [["import", "no-such-file"], { PALIMPSEST_STORE: "memory:" }, 3, "cannot be read: there is no such file"],
    [["import", "src/ports"], { PALIMPSEST_STORE: "memory:" }, 3, "no session file of a known format in src/ports"],
    [["import", ".", "--id", "a"], { PALIMPSEST_STORE: "memory:" }, 2, ". is a folder"],
    [["import", "package.json", "--id", ""], { PALIMPSEST_STORE: "memory:" }, 2, "an id"],
    [
      ["worker", "--once", "--config", "no.json"],
      { PALIMPSEST_STORE: "memory:" },
      2,
      "no.json cannot be read: there is",
    ],
    [["sessions", "--store", "file:x"], {}, 2, 'workspace:<repository>, found "file:x".'],
    [["worker", "--model", "claude-sonet-5"], { PALIMPSEST_STORE: "memory:" }, 2, "Did you mean claude-sonnet-5? For"],
    [["worker", "--model", "google:own"], { PALIMPSEST_STORE: "memory:" }, 2, "the window of own is not known."],
  ] as const)("%j exits with an error message and a code", async (args, environment, code, words) => {
    const ended = await run(args, environment);
    expect(ended.err).toContain(words);
    expect(ended.code).toBe(code);
  });

  test("refuses an old Node and names the version that it needs", () => {
    expect(refuseOldNode("20.19.0")).toMatch(/^palimpsest needs Node 22\.\d+ or newer, but this is Node 20\.19\.0\./);
    expect([refuseOldNode("22.100.0"), refuseOldNode("26.0.0"), refuseOldNode()]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("shows commands as they are typed in the repository and in a package", async () => {
    const installed = "file:///app/node_modules/palimpsest/dist/cli/own-command.js";
    expect((await run(["--help"])).out).toContain("npm run palimpsest -- <command>");
    expect(ownCommand(installed)).toBe("npx palimpsest");
    const bare = /(?<!run |silent )palimpsest (?:[a-z]+|--help)/;
    for (const [name, { load }] of Object.entries(COMMANDS)) {
      const [{ out }, { examples }] = [await run([name, "--help"]), (await load()).command];
      for (const example of examples) expect(out).toContain(showFullCommands(example));
      expect(out).not.toMatch(bare);
    }
    for (const args of [["sessions", "--what"], ["show"], ["token", "burn"], ["serve", "--host", "0.0.0.0"]]) {
      const { err } = await run(args, { PALIMPSEST_HOME: join(folder, "elsewhere") });
      expect(err).toContain("npm run palimpsest -- ");
      expect(err).not.toMatch(bare);
    }
    const piped = "palimpsest export a --keep-secrets | gzip > a.gz";
    expect(showFullCommands(piped)).toBe("npm run --silent palimpsest -- export a --keep-secrets | gzip > a.gz");
    expect(showFullCommands(piped, installed)).toBe(`npx ${piped}`);
    const paths = "/data/palimpsest serve.json and palimpsest server";
    expect(showFullCommands(paths)).toBe(paths);
  });

  test("prefers a home folder on the command line to a server in the environment", async () => {
    const home = join(folder, "home");
    mkdirSync(home);
    const palimpsest = await openPalimpsest({ store: `sqlite:${join(home, "palimpsest.db")}` });
    await (await palimpsest.create({ id: "at-home" })).append({ role: "user", content: "The heron is here." });
    await palimpsest.close();
    const environment = { PALIMPSEST_SERVER: "http://127.0.0.1:9" };
    expect((await run(["sessions", "--home", home], environment)).out).toContain("at-home");
    expect((await run(["search", "heron", "--home", home], environment)).out).toContain("at-home#1");
    const file = join(folder, "at-home.jsonl");
    expect((await run(["export", "at-home", "--home", home, "--out", file], environment)).code).toBe(0);
    expect((await run(["import", file, "--id", "again", "--home", home], environment)).code).toBe(0);
  });

  test("lists sessions and searches messages", async () => {
    const listed = JSON.parse((await run(["sessions", "--json"])).out);
    expect(listed).toMatchObject([{ id: "keys" }, { id: "plans", title: "Plans", messageCount: 24 }]);
    expect((await run(["sessions", "--limit", "1"])).out).toMatch(/^keys {2}\S+ {2}1 message {2}The key is/);
    const { out } = await run(["search", "question 7", "--role", "user"]);
    expect(out).toMatch(/^plans#15 {2}user {2}\[Question 7\]: the quick/);
    const hits = JSON.parse((await run(["search", "Answer 3:", "--session", "plans", "--json"])).out);
    expect(hits).toMatchObject([{ sessionId: "plans", role: "assistant", seq: 8 }]);
  });

  test("exports a session and imports it into another store, by file or by pipe", async () => {
    const file = join(folder, "plans.jsonl");
    expect((await run(["export", "plans", "--out", file])).out).toContain(file);
    const other = { PALIMPSEST_STORE: `jsonl:${join(folder, "other")}` };
    expect((await run(["import", file], other)).out).toBe("plans: 24 entries, 24 of them messages\n");
    expect((await run(["import", file], other)).code).toBe(5);
    const lines = (await run(["export", "keys"])).out;
    expect(lines).not.toContain("AKIA");
    const piped = startCli(["import", "-", "--id", "copy", "--json"], { environment: other, input: lines });
    expect(JSON.parse((await piped.ended).out)).toEqual({ sessionId: "copy", entries: 1, messages: 1 });
    writeFileSync(file, readFileSync(file, "utf8").replace("fox", "box"));
    const damaged = await run(["import", file, "--id", "damaged", "--json"], other);
    expect(damaged.code).toBe(3);
    expect(JSON.parse(damaged.err).error).toMatchObject({ code: "message-invalid", retryable: false });
  });

  test("imports messages of any format, and each of several conversations as a session", async () => {
    const file = join(folder, "talk.json");
    const other = { PALIMPSEST_STORE: `sqlite:${join(folder, "others.db")}` };
    const put = (value: unknown) => writeFileSync(file, typeof value === "string" ? value : JSON.stringify(value));
    const listed = async () => JSON.parse((await run(["sessions", "--json"], other)).out);
    put([
      { role: "user", content: "Where is the heron?" },
      { role: "assistant", content: [{ type: "text", text: "Here." }] },
    ]);
    const heron = ["import", file, "--id", "heron"];
    expect((await run(heron, other)).out).toBe("heron: 2 messages, 2 new (ai-sdk-model)\n");
    expect(await listed()).toMatchObject([{ id: "heron", title: "talk", messageCount: 2 }]);
    expect(await run(heron, other)).toMatchObject({ code: 0, out: "heron: 2 messages, 0 new (ai-sdk-model)\n" });

    const call = { id: "c1", type: "function", function: { name: "look", arguments: "{}" } };
    const answered = [
      { role: "user", content: "Look." },
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "c1", content: "A pond." },
    ];
    put([
      { title: "First", messages: answered },
      { title: "Second", contents: [], messages: [{ role: "user", content: 7 }] },
      { title: "Third", messages: [{ role: "user", content: "Hello." }] },
    ]);
    const many = await run(["import", file, "--json"], other);
    const imported = JSON.parse(many.out);
    expect([many.code, imported.sessions.map(({ title, messages }: Imported) => [title, messages])]).toEqual([
      3,
      [
        ["First", 3],
        ["Third", 1],
      ],
    ]);
    expect(imported.problems).toMatchObject([{ place: "[1].messages[0]" }]);
    expect((await listed()).map(({ title }: Imported) => title).toSorted()).toEqual(["First", "Third", "talk"]);

    put('{"role":"user","content":"One."}\n{"role":"user","content":"Two."}\n');
    expect(JSON.parse((await run(["import", file, "--json"], other)).out)).toMatchObject({ messages: 2, added: 2 });
    const piped = startCli(["import", "-", "--json"], { environment: other, input: readFileSync(file, "utf8") });
    expect(JSON.parse((await piped.ended).out)).toMatchObject({ messages: 2, added: 0 });
    const before = (await listed()).length;
    for (const text of ["nonsense", "", "[]", '{"messages":[{"role":"user","content":7}]}', "[7]"]) {
      put(text);
      const { code, err, out } = await run(["import", file], other);
      expect([text, code, out, err]).toEqual([text, 3, "", expect.stringMatching(/^(?:import|skipped): /)]);
    }
    put('nonsense\n{"role":"user","content":"Three."}\n');
    const partly = await run(["import", file], other);
    expect([partly.code, partly.err]).toEqual([3, "skipped: line 1: it is not JSON\n"]);
    expect(await listed()).toHaveLength(before + 1);
  });

  test("shows with --dry-run what a file contains, and stores nothing", async () => {
    const file = join(folder, "ferry.jsonl");
    writeFileSync(file, findSample("claude-code").text);
    const path = join(folder, "dry.db");
    const { code, out } = await run(["import", file, "--dry-run"], { PALIMPSEST_STORE: `sqlite:${path}` });
    expect([code, out]).toEqual([0, expect.stringContaining("5 messages, 5 new, 2 calls, 2 results (claude-code)")]);
    expect(existsSync(path)).toBe(false);
  });

  test("imports the files of a folder, lists them by format, and exports a session for another tool", async () => {
    const logs = join(folder, "logs");
    mkdirSync(join(logs, "deep"), { recursive: true });
    for (const { name, text } of [findSample("codex"), findSample("aider")])
      writeFileSync(join(logs, "deep", name), text);
    writeFileSync(join(logs, "ferry.jsonl"), `${findSample("claude-code").text}{"broken`);
    writeFileSync(join(logs, "cursor.jsonl"), '{"role":"user","message":{"content":[{"type":"text","text":"Hi"}]}}\n');
    writeFileSync(join(logs, "package.json"), '{"name":"logs"}');
    const environment = { PALIMPSEST_STORE: `sqlite:${join(folder, "logs.db")}` };
    const first = await run(["import", logs], environment);
    expect(first.code).toBe(3);
    expect(first.out).toMatch(/^format +files +sessions +messages +new +calls +results +skipped\n/);
    expect(first.out).toMatch(/\nclaude-code +1 +1 +5 +5 +2 +2 +1\n/);
    expect(first.out).toMatch(/\ntotal +3 +3 +13 +13 /);
    expect(first.err).toContain("ferry.jsonl: skipped: line 8: it is not JSON");
    expect(first.err).toContain("not imported: cursor.jsonl was written by Cursor, which is not supported");
    expect(first.err).toContain("1 other file has no known format");
    expect((await run(["import", logs], environment)).out).toMatch(/\ntotal +3 +3 +13 +0 /);
    const codex = await run(["export", "codex-codex-7", "--format", "codex"], environment);
    expect(codex.out.split("\n")[0]).toContain('"type":"session_meta"');
    const copied = startCli(["import", "-", "--json"], {
      environment: { PALIMPSEST_STORE: `sqlite:${join(folder, "copy.db")}` },
      input: codex.out,
    });
    expect(JSON.parse((await copied.ended).out)).toMatchObject({ format: "codex", messages: 5, added: 5, skipped: 0 });
  });

  test("reports why a file cannot be written", async () => {
    const out = join(folder, "nowhere", "plans.jsonl");
    const ended = await run(["export", "plans", "--out", out]);
    expect(ended).toMatchObject({ code: 2, out: "" });
    expect(ended.err).toBe(
      `--out: ${out} cannot be written: there is no such file or folder (ENOENT). (config-invalid)\n`,
    );
  });

  test("replaces an existing file only with --force", async () => {
    const out = join(folder, "taken.jsonl");
    writeFileSync(out, "mine");
    const refused = await run(["export", "plans", "--out", out]);
    expect(refused).toMatchObject({ code: 5, out: "" });
    expect(refused.err).toBe(`--out: ${out} already exists. Choose another file, or replace it with --force.\n`);
    expect(readFileSync(out, "utf8")).toBe("mine");
    expect((await run(["export", "plans", "--out", out, "--force"])).code).toBe(0);
    expect(readFileSync(out, "utf8")).toContain('"Plans"');
  });

  test.each(["sqlite", "jsonl"])("creates no %s store for a command that only reads", async (scheme) => {
    const path = join(folder, `mistyped-${scheme}`);
    for (const args of [["sessions"], ["search", "fox"], ["export", "plans"]]) {
      const ended = await run(args, { PALIMPSEST_STORE: `${scheme}:${path}` });
      expect(ended).toMatchObject({ code: 4, out: "" });
      expect(ended.err).toContain("PALIMPSEST_STORE");
      expect(existsSync(path)).toBe(false);
    }
  });

  test.each(["sqlite", "jsonl"])("creates no %s store for an import that is refused", async (scheme) => {
    const path = join(folder, `refused-${scheme}`);
    const [whole, damaged] = [join(folder, "whole.jsonl"), join(folder, "damaged.jsonl")];
    const { out: lines } = await run(["export", "plans"]);
    writeFileSync(whole, lines);
    writeFileSync(damaged, lines.replace("fox", "box"));
    const environment = { PALIMPSEST_STORE: `${scheme}:${path}` };
    const refused = [[damaged], ["package.json"], [whole, "--id", ""]];
    for (const args of refused) expect([2, 3]).toContain((await run(["import", ...args], environment)).code);
    const piped = startCli(["import", "-"], { environment, input: lines.slice(0, -100) });
    expect((await piped.ended).code).toBe(3);
    expect(existsSync(path)).toBe(false);
    const home = join(folder, `refused-home-${scheme}`);
    expect((await run(["import", damaged, "--home", home], {})).code).toBe(3);
    expect(existsSync(home)).toBe(false);
    expect((await run(["import", whole], environment)).code).toBe(0);
    expect(existsSync(path)).toBe(true);
  });

  test("escapes control characters in text output, and leaves JSON output unchanged", async () => {
    const environment = { PALIMPSEST_STORE: `sqlite:${join(folder, "hostile.db")}` };
    const [id, title] = ["a\u001b[2Jb\nc", "\u009b31m red \u202e\u0007"];
    // Only earlier versions accepted such an id.
    const store = await openSqliteStore(join(folder, "hostile.db"));
    await store.tenant("local").createSession({ id, title, createdAt: 0 }, EMPTY_HEAD);
    await store.close();
    const palimpsest = await openPalimpsest({ store: environment.PALIMPSEST_STORE });
    await (await palimpsest.session(id)).append({
      role: "user",
      content: "ring \u0007\u001b]0;x\u007f the bell",
    });
    await palimpsest.close();
    const file = join(folder, "hostile.jsonl");
    const shown = [
      await run(["sessions"], environment),
      await run(["search", "ring"], environment),
      await run(["export", id, "--out", file], environment),
      await run(["import", file], environment),
      await run(["import", file, "--id", "again"], environment),
      await run(["import", file, "--id", `${id}2`], environment),
      await run(["export", `\u009b${id}`], environment),
      await run([`\u001b${id}`], environment),
    ];
    for (const { out, err } of shown) expect(out + err).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
    expect(shown[0]?.out).toMatch(/^a\\u001b\[2Jb\\u000ac {2}\S+ {2}1 message {2}\\u009b31m red \\u202e\\u0007\n$/);
    expect(shown[1]?.out).toContain("[ring] \\u0007\\u001b]0;x\\u007f the bell");
    expect(shown[4]?.out).toContain("1 entry, 1 of them a message");
    expect(shown[5]?.err).toContain("expected an id of 1 to 200 characters");
    const listed = JSON.parse((await run(["sessions", "--json"], environment)).out);
    expect(listed).toContainEqual(expect.objectContaining({ id, title }));
  });

  test("prints its version", async () => {
    const { version } = JSON.parse(readFileSync("package.json", "utf8"));
    expect(await startCli(["--version"]).ended).toMatchObject({ code: 0, out: `${version}\n`, err: "" });
  });

  test("runs due compactions once with worker --once", async () => {
    const environment = { PALIMPSEST_STORE: store, PALIMPSEST_POLICY: "rolling-chat" };
    const { code, out } = await run(["worker", "--once", "--json"], environment);
    const events = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(events).toMatchObject([
      { event: "ready" },
      { event: "compaction", sessionId: "plans" },
      { event: "job-end", sessionId: "plans", outcome: "done" },
      { event: "end", jobs: 1, compactions: 1 },
    ]);
    expect(code).toBe(0);
    expect((await run(["worker", "--once"], environment)).out).toMatch(/\nDone\. Nothing was due\.\n$/);
  });

  test("a worker refuses a store that does not exist, and creates no file", async () => {
    const file = `${store}-mistyped`;
    const { code, out, err } = await startCli(["worker", "--once", "--store", file]).ended;
    expect({ code, out }).toEqual({ code: 4, out: "" });
    expect(err).toContain("there is no such file or folder");
    expect(existsSync(file.replace("sqlite:", ""))).toBe(false);
  });

  test.each([
    ["--model", "anthropic:claude-sonnet-5"],
    ["--model", "own-model", "--budget-tokens", "4000"],
  ])("a worker accepts %s %s", async (...options) => {
    const { code, err } = await run(["worker", "--once", "--store", "memory:", ...options]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
  });

  test("runs a worker until a signal ends it", async () => {
    const { child, out, ended } = startCli(["worker"], { environment: { PALIMPSEST_STORE: store } });
    await expect.poll(out).toContain("The worker is running.");
    child.kill("SIGTERM");
    expect(await ended).toMatchObject({ code: 0, err: "" });
  });
});
