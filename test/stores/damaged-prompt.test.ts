/** Prompts of a JSONL session with a damaged line: nothing is silently absent. */
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { openPalimpsest } from "../../src/compose.ts";
import { isUnreadable, UNREADABLE_TEXT } from "../../src/core/log/unreadable-entry.ts";
import type { Message } from "../../src/core/message/message.ts";
import { PROVIDERS } from "../../src/core/prompt/provider.ts";
import { validate } from "../../src/core/prompt/validate/validate.ts";
import type { Palimpsest } from "../../src/engine/palimpsest.ts";
import type { Session } from "../../src/engine/session/session.ts";
import { TestFolder } from "./jsonl-folder.ts";

const TALK: readonly Message[] = [
  createMessage("m1", "user", "Which port does the cache use?"),
  createMessage("m2", "assistant", "The cache uses port 6379."),
  createMessage("m3", "user", "And the database?"),
  createMessage("m4", "assistant", "The database uses port 5432."),
];

const ROUND: readonly Message[] = [
  createMessage("m1", "user", "Read the file."),
  {
    id: "m2",
    role: "assistant",
    parts: [{ type: "tool-call", callId: "c1", tool: "read", input: { path: "a.txt" } }],
  },
  {
    id: "m3",
    role: "tool",
    parts: [{ type: "tool-result", callId: "c1", output: { type: "text", text: "Forty-two." }, failed: false }],
  },
  createMessage("m4", "assistant", "It says forty-two."),
];

function createMessage(id: string, role: "user" | "assistant", text: string): Message {
  return { id, role, parts: [{ type: "text", text }] };
}

const THANKS = createMessage("m5", "user", "Thank you.");

async function written(folder: TestFolder, messages: readonly Message[]): Promise<void> {
  const palimpsest = await openPalimpsest({ store: `jsonl:${folder.path}`, windowTokens: 8_192 });
  const session = await palimpsest.session("s");
  for (const message of messages) await session.append(message, { format: "palimpsest" });
  await palimpsest.close();
}

function changeWord(folder: TestFolder, word: string, other: string): void {
  const path = folder.file(".jsonl");
  const text = readFileSync(path, "utf8");
  if (text.split(word).length !== 2) throw new TypeError(`Not once in the file: ${word}`);
  writeFileSync(path, text.replace(word, other));
}

interface OpenedSession extends AsyncDisposable {
  readonly palimpsest: Palimpsest;
  readonly session: Session;
  readonly warnings: readonly string[];
}

async function opened(folder: TestFolder): Promise<OpenedSession> {
  const palimpsest = await openPalimpsest({ store: `jsonl:${folder.path}`, windowTokens: 8_192 });
  const warnings: string[] = [];
  palimpsest.on("warning", ({ text }) => warnings.push(text));
  const session = await palimpsest.session("s");
  return { palimpsest, session, warnings, [Symbol.asyncDispose]: () => palimpsest.close() };
}

const textsOf = (prompt: { readonly messages: unknown }): string => JSON.stringify(prompt.messages);

const UNREAD = "1 message could not be read from the store; the prompt has a marker in its place.";

describe("a damaged message", () => {
  test("leaves a marker in the prompt, a reason in the plan and warnings", async () => {
    await using folder = new TestFolder();
    await written(folder, TALK);
    changeWord(folder, "6379", "6380");
    await using damaged = await opened(folder);
    const { session, warnings } = damaged;
    const prompt = await session.prompt();
    expect((await session.history()).map(({ id, role }) => [id, role])).toEqual([
      ["m1", "user"],
      ["unreadable-2", "assistant"],
      ["m3", "user"],
      ["m4", "assistant"],
    ]);
    expect(textsOf(prompt)).toContain(UNREADABLE_TEXT);
    expect(textsOf(prompt)).not.toContain("6380");
    expect(prompt.report.warnings).toEqual([UNREAD]);
    expect(warnings).toEqual([expect.stringContaining("is skipped"), UNREAD]);
    const reason = expect.stringContaining("could not be read");
    expect(prompt.report.plan.runs.map(({ firstSeq, lastSeq }) => [firstSeq, lastSeq])).toEqual([
      [1, 1],
      [2, 2],
      [3, 4],
    ]);
    expect(prompt.report.plan.runs[1]).toMatchObject({ reason });
    expect(await session.explain("unreadable-2")).toMatchObject({ seq: 2, reason, isShown: true });
  });

  test("is reported in an export and counted in the list of sessions", async () => {
    await using folder = new TestFolder();
    await written(folder, TALK);
    changeWord(folder, "6379", "6380");
    await using damaged = await opened(folder);
    const { session, palimpsest } = damaged;
    await session.prompt();
    const lines: string[] = [];
    for await (const line of palimpsest.exportSession("s")) lines.push(line);
    expect(lines.filter((line) => line.includes("could not be read"))).toHaveLength(1);
    expect((await palimpsest.sessions()).map(({ messageCount }) => messageCount)).toEqual([4]);
  });

  test("has the same marker in the next prompt and after a restart", async () => {
    await using folder = new TestFolder();
    await written(folder, TALK);
    changeWord(folder, "6379", "6380");
    let before: string | undefined;
    {
      await using damaged = await opened(folder);
      await damaged.session.prompt();
      await damaged.session.append(THANKS, { format: "palimpsest" });
      before = textsOf(await damaged.session.prompt());
    }
    await using again = await opened(folder);
    expect(textsOf(await again.session.prompt())).toBe(before);
    expect(before).toContain(UNREADABLE_TEXT);
    expect(before).toContain("Thank you.");
  });
});

describe("a damaged tool result", () => {
  test("leaves a valid prompt with a marker", async () => {
    await using folder = new TestFolder();
    await written(folder, ROUND);
    changeWord(folder, "Forty-two.", "Forty-one.");
    await using damaged = await opened(folder);
    const prompt = await damaged.session.prompt();
    expect(prompt.report.repairs.length).toBeGreaterThan(0);
    expect(textsOf(prompt)).toContain(UNREADABLE_TEXT);
    expect(textsOf(prompt)).not.toContain("Forty-one.");
    for (const provider of PROVIDERS) {
      const rendered = prompt.as(provider);
      expect(JSON.stringify(rendered)).toContain(UNREADABLE_TEXT);
      expect(validate(rendered, provider), provider).toEqual([]);
    }
  });
});

describe("a damaged last line", () => {
  test("keeps its seq when the session continues", async () => {
    await using folder = new TestFolder();
    await written(folder, TALK);
    changeWord(folder, "5432", "5433");
    await using damaged = await opened(folder);
    const { session, palimpsest } = damaged;
    expect((await session.history()).map(({ id }) => id)).toEqual(["m1", "m2", "m3", "unreadable-4"]);
    await session.append(THANKS, { format: "palimpsest" });
    const prompt = await session.prompt();
    expect(prompt.report.warnings).toEqual([UNREAD]);
    expect((await session.history()).map(({ id }) => id)).toEqual(["m1", "m2", "m3", "unreadable-4", "m5"]);
    expect((await session.entries()).map(({ id, seq }) => [id, seq])).toContainEqual(["m5", 5]);
    expect((await palimpsest.sessions()).map(({ messageCount }) => messageCount)).toEqual([5]);
  });
});

describe("a damaged line that was not a message", () => {
  test("leaves no marker", async () => {
    await using folder = new TestFolder();
    await written(folder, TALK);
    {
      await using first = await opened(folder);
      await first.session.prompt();
      await first.session.append(THANKS, { format: "palimpsest" });
    }
    changeWord(folder, '"type":"request"', '"type":"request" ');
    await using damaged = await opened(folder);
    const prompt = await damaged.session.prompt();
    expect(prompt.report.warnings).toEqual([]);
    expect(damaged.warnings).toEqual([expect.stringContaining("is skipped")]);
    expect((await damaged.session.history()).map(({ id }) => id)).toEqual(["m1", "m2", "m3", "m4", "m5"]);
  });
});

test("a caller's message with the id of a marker is not a marker", async () => {
  await using folder = new TestFolder();
  await written(folder, [createMessage("unreadable-1", "user", "Hello.")]);
  await using opening = await opened(folder);
  const [entry] = await opening.session.entries();
  expect(entry?.type === "message" && isUnreadable(entry)).toBe(false);
  expect((await opening.session.prompt()).report.warnings).toEqual([]);
});

describe("warnings of a store that was opened by its address", () => {
  const PNG = `data:image/png;base64,${Buffer.alloc(60_000, 7).toString("base64")}`;
  const WITH_IMAGE = {
    role: "user",
    content: [
      { type: "text", text: "What is this?" },
      { type: "image_url", image_url: { url: PNG } },
    ],
  };

  test("of SQLite reach the listener", async () => {
    await using folder = new TestFolder();
    const path = join(folder.path, "chats.db");
    const store = `sqlite:${path}`;
    const first = await openPalimpsest({ store, windowTokens: 8_192 });
    await (await first.session("s")).append(WITH_IMAGE);
    await first.close();
    const database = new DatabaseSync(path);
    database.exec("DELETE FROM blob_chunks");
    database.close();
    const second = await openPalimpsest({ store, windowTokens: 8_192 });
    const warnings: string[] = [];
    second.on("warning", ({ text }) => warnings.push(text));
    await (await second.session("s")).prompt();
    await second.close();
    expect(warnings).toEqual([expect.stringMatching(/missing or damaged/)]);
  });

  test("become process warnings if there is no listener", async () => {
    await using folder = new TestFolder();
    await written(folder, TALK);
    changeWord(folder, "6379", "6380");
    const warning = once(process, "warning");
    const palimpsest = await openPalimpsest({ store: `jsonl:${folder.path}`, windowTokens: 8_192 });
    const stop = palimpsest.on("warning", () => undefined);
    stop();
    await (await palimpsest.session("s")).history();
    await palimpsest.close();
    expect(await warning).toEqual([expect.objectContaining({ message: expect.stringContaining("is skipped") })]);
  });
});
