/**
 * Public functions refuse an unknown option and name the nearest, also for a caller without type checks. The calls
 * cover each entry point of the package.
 */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createClient } from "../src/client/index.ts";
import {
  countTokens,
  findTopicBoundaries,
  renderPrompt,
  summarizeOffline,
  verifySummary,
} from "../src/core/public/index.ts";
import { fit as fitHistory, openPalimpsest } from "../src/index.ts";
import { openPgBossJobs } from "../src/jobs/pg-boss-jobs.ts";
import { createRequestLog, startServer } from "../src/server/index.ts";
import { openD1Store } from "../src/stores/d1/open-d1-store.ts";
import { openJsonlStore } from "../src/stores/jsonl/jsonl-store.ts";
import { createMemoryStore } from "../src/stores/memory/memory-store.ts";
import { openPostgresNotifications, openPostgresStore } from "../src/stores/postgres/open-postgres-store.ts";
import { openSqliteStore } from "../src/stores/sqlite/open-sqlite-store.ts";
import { instrument } from "../src/telemetry/instrument.ts";
import { createAnthropicDouble, startAnthropicDouble } from "../src/testing/public/index.ts";
import { openLocalWorkspace } from "../src/workspace/index.ts";
import { newFolders } from "./support/new-folders.ts";

const newFolder = newFolders("constructor-options");
const NO_DATABASE = "postgres://nobody@127.0.0.1:1/none";
const history = [{ role: "user", content: "Hello." }] as const;
const nothing = () => undefined;
const engine = { on: () => nothing };
const client = () => createClient({ url: "http://127.0.0.1:1", attempts: 1 });

type Attempt = readonly [what: string, call: () => unknown, message: string];

const ATTEMPTS: readonly Attempt[] = [
  [
    "fit",
    () => fitHistory(history, { budgetToken: 9 } as never),
    'fit: Unknown option "budgetToken". Did you mean "budgetTokens"?',
  ],
  [
    "openPalimpsest",
    () => openPalimpsest({ stroe: "memory:" } as never),
    'openPalimpsest: Unknown option "stroe". Did you mean "store"?',
  ],
  [
    "openPalimpsest, a workspace",
    () => openPalimpsest({ workspace: { rot: "." } } as never),
    'workspace: Unknown option "rot". Did you mean "root"?',
  ],
  [
    "createClient",
    () => createClient({ ulr: "http://x" } as never),
    'createClient: Unknown option "ulr". Did you mean "url"?',
  ],
  [
    "createClient without an address",
    () => createClient({} as never),
    "createClient: url: expected the server's address, such as http://127.0.0.1:7420, found undefined.",
  ],
  [
    "createClient without options",
    () => createClient(undefined as never),
    "createClient: url: expected the server's address, such as http://127.0.0.1:7420, found undefined.",
  ],
  [
    "createClient with a wrong address",
    () => createClient({ url: "127.0.0.1:7420" }),
    'createClient: url: expected the server\'s address, such as http://127.0.0.1:7420, found "127.0.0.1:7420".',
  ],
  [
    "a method of the client",
    () => client().readPlan({ parms: { id: "s" } } as never),
    'readPlan: Unknown option "parms". Did you mean "params"?',
  ],
  [
    "connect",
    () => client().connect({ singal: undefined } as never),
    'connect: Unknown option "singal". Did you mean "signal"?',
  ],
  [
    "startServer",
    () => startServer({ stor: "memory:" } as never),
    'startServer: Unknown option "stor". Did you mean "store"?',
  ],
  [
    "startServer, its engine",
    () => startServer({ store: "memory:", hasSocket: false, tokens: [], engine: { polcy: "default" } } as never),
    'startServer: engine: Unknown option "polcy". Did you mean "policy"?',
  ],
  [
    "startServer, its rate",
    () => startServer({ store: "memory:", hasSocket: false, rate: { perSeconds: 1, burst: 1 } } as never),
    'startServer: rate: Unknown option "perSeconds". Did you mean "perSecond"?',
  ],
  [
    "startServer, its chat",
    () => startServer({ store: "memory:", hasSocket: false, chat: { atempts: 1 } } as never),
    'startServer: chat: Unknown option "atempts". Did you mean "attempts"?',
  ],
  [
    "startServer, its limits",
    () => startServer({ store: "memory:", hasSocket: false, limits: { sockt: {} } } as never),
    'startServer: limits: Unknown option "sockt". Did you mean "socket"?',
  ],
  [
    "createRequestLog",
    () => createRequestLog({ levle: "warn" } as never),
    'createRequestLog: Unknown option "levle". Did you mean "level"?',
  ],
  [
    "createMemoryStore",
    () => createMemoryStore({ monotonicNo: nothing } as never),
    'createMemoryStore: Unknown option "monotonicNo". Did you mean "monotonicNow"?',
  ],
  [
    "openSqliteStore",
    () => openSqliteStore(join(newFolder(), "chats.db"), { durabilty: "full" } as never),
    'openSqliteStore: Unknown option "durabilty". Did you mean "durability"?',
  ],
  [
    "openSqliteStore with a wrong value",
    () => openSqliteStore(join(newFolder(), "chats.db"), { durability: "none" } as never),
    'openSqliteStore: durability: expected one of full, normal, found "none".',
  ],
  [
    "openSqliteStore without a path",
    () => openSqliteStore(undefined as never),
    "openSqliteStore: path: expected the path of a file, found undefined.",
  ],
  [
    "openJsonlStore",
    () => openJsonlStore({ foldr: newFolder() } as never),
    'openJsonlStore: Unknown option "foldr". Did you mean "folder"?',
  ],
  [
    "openJsonlStore without a folder",
    () => openJsonlStore({} as never),
    "openJsonlStore: folder: expected the path of a folder, found undefined.",
  ],
  [
    "openPostgresStore",
    () => openPostgresStore(NO_DATABASE, { conections: 3 } as never),
    'openPostgresStore: Unknown option "conections". Did you mean "connections"?',
  ],
  [
    "openPostgresNotifications",
    () => openPostgresNotifications(NO_DATABASE, { onEror: nothing } as never),
    'openPostgresNotifications: Unknown option "onEror". Did you mean "onError"?',
  ],
  [
    "openD1Store without a database",
    () => openD1Store(undefined as never),
    "openD1Store: database: expected an object with the methods prepare, batch, found undefined.",
  ],
  [
    "openD1Store",
    () => openD1Store({ prepare: nothing, batch: nothing } as never, { nme: "d1" } as never),
    'openD1Store: Unknown option "nme". Did you mean "name"?',
  ],
  [
    "openPgBossJobs",
    () => openPgBossJobs(NO_DATABASE, { onErrors: nothing } as never),
    'openPgBossJobs: Unknown option "onErrors". Did you mean "onError"?',
  ],
  [
    "instrument",
    () => instrument(engine as never, { traser: {} } as never),
    'instrument: Unknown option "traser". Did you mean "tracer"?',
  ],
  [
    "instrument without an engine",
    () => instrument({} as never),
    "instrument: engine: expected an object with the method on, found an empty object.",
  ],
  [
    "openLocalWorkspace",
    () => openLocalWorkspace({ rot: "." } as never),
    'workspace: Unknown option "rot". Did you mean "root"?',
  ],
  [
    "summarizeOffline",
    () => summarizeOffline(history, { budgetToken: 9 } as never),
    'summarizeOffline: Unknown option "budgetToken". Did you mean "budgetTokens"?',
  ],
  [
    "verifySummary",
    () => verifySummary("Hello.", history, { previos: undefined } as never),
    'verifySummary: Unknown option "previos". Did you mean "previous"?',
  ],
  [
    "findTopicBoundaries",
    () => findTopicBoundaries(history, { minConfidense: 0.5 } as never),
    'findTopicBoundaries: Unknown option "minConfidense". Did you mean "minConfidence"?',
  ],
  [
    "countTokens",
    () => countTokens("Hello.", { conter: undefined } as never),
    'countTokens: Unknown option "conter". Did you mean "counter"?',
  ],
  [
    "renderPrompt",
    () => renderPrompt({ instruction: "Be brief.", messages: [], provider: "openai" } as never),
    'renderPrompt: Unknown option "instruction". Did you mean "instructions"?',
  ],
  [
    "createAnthropicDouble",
    () => createAnthropicDouble({ describeModle: nothing } as never),
    'createAnthropicDouble: Unknown option "describeModle". Did you mean "describeModel"?',
  ],
  [
    "startAnthropicDouble",
    () => startAnthropicDouble({ replay: nothing } as never),
    'startAnthropicDouble: Unknown option "replay". Did you mean "reply"?',
  ],
];

describe("the check of options", () => {
  test.each(ATTEMPTS)("refuses an invalid call and explains why: %s", async (_, call, message) => {
    await expect((async () => call())()).rejects.toMatchObject({ code: "config-invalid", message });
  });
});

describe("the check of a prompt's options", () => {
  test.each([
    [
      "a name instead of a tool",
      { tools: ["read"] },
      'session.prompt: tools[0]: expected a tool definition, such as { name, description, inputSchema }, found "read".',
    ],
    [
      "a string instead of a named tool",
      { tools: { read: "x" } },
      'session.prompt: tools.read: expected a tool definition, such as { name, description, inputSchema }, found "x".',
    ],
    [
      "a misspelled field of a note",
      { notes: { text: "It is Monday.", kept: false } },
      'session.prompt: notes: Unknown option "kept". The options are text, keep.',
    ],
    [
      "a note without text",
      { notes: { keep: false } },
      "session.prompt: notes: text: expected a string, found undefined.",
    ],
    [
      "a list of notes",
      { notes: ["It is Monday."] },
      "session.prompt: notes: expected a string or { text, keep }, found a list of 1.",
    ],
  ])("names the problem inside an option: %s", async (_, options, message) => {
    const palimpsest = await openPalimpsest({ counter: "estimate" });
    const session = await palimpsest.session("s");
    await expect(session.prompt(options as never)).rejects.toMatchObject({ code: "config-invalid", message });
    await palimpsest.close();
  });
});
