/** Recorded session files of many tools, which are not part of the repository. Counted here a second time, and simply. */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { importTranscript, openPalimpsest } from "../../src/index.ts";
import { everyNth } from "../support/property-runs.ts";
import { sharedDataFolder, skipWithoutData } from "../support/real-logs.ts";

interface Counts {
  readonly messages: number;
  readonly calls: number;
  readonly results: number;
}

// biome-ignore lint/suspicious/noExplicitAny: the counting reads any field of a recorded file.
type Any = any;

const folder = (name: string): string => join(sharedDataFolder() ?? "/nowhere", name);

function listFiles(name: string, ending: RegExp): readonly string[] {
  if (sharedDataFolder() === undefined) return [];
  const entries = readdirSync(folder(name), { withFileTypes: true, recursive: true });
  const paths = entries.filter((entry) => entry.isFile() && ending.test(entry.name));
  return paths.map((entry) => join(entry.parentPath, entry.name)).toSorted();
}

function parseLines(path: string): readonly Any[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .flatMap((line) => {
      try {
        return line.trim() === "" ? [] : [JSON.parse(line)];
      } catch {
        return [];
      }
    });
}

async function countRead(path: string): Promise<Counts & { readonly sessions: number }> {
  const { sessions } = await importTranscript(readFileSync(path), { name: basename(path) });
  const messages = sessions.flatMap((session) => session.messages.map(({ message }) => message));
  const parts = messages.flatMap((message) => message.parts);
  return {
    messages: messages.length,
    calls: parts.filter(({ type }) => type === "tool-call").length,
    results: parts.filter(({ type }) => type === "tool-result").length,
    sessions: sessions.length,
  };
}

/** Imports the file twice and counts what the store has. */
async function countStored(path: string): Promise<Counts & { readonly again: number }> {
  const palimpsest = await openPalimpsest({ store: "memory:", counter: "estimate" });
  const bytes = readFileSync(path);
  const name = basename(path);
  const { sessions } = await palimpsest.importTranscript(bytes, { name });
  let [messages, calls, results] = [0, 0, 0];
  for (const { sessionId } of sessions) {
    const session = await palimpsest.load(sessionId);
    const fork = (await palimpsest.describe(sessionId)).fork?.atSeq ?? 0;
    for (const entry of await session.entries({ types: ["message"], afterSeq: fork, limit: 100_000 })) {
      if (entry.type !== "message") continue;
      messages += 1;
      calls += entry.message.parts.filter(({ type }) => type === "tool-call").length;
      results += entry.message.parts.filter(({ type }) => type === "tool-result").length;
    }
  }
  const again = (await palimpsest.importTranscript(bytes, { name })).added;
  await palimpsest.close();
  return { messages, calls, results, again };
}

/** Answers by the provider's id, other records one by one; a record repeated with its uuid counts once. */
function countClaude(records: readonly Any[]): Counts {
  const answers = new Set<string>();
  const seen = new Set<string>();
  let [others, calls, results] = [0, 0, 0];
  for (const { type, message, uuid, isCompactSummary } of records) {
    const content = message?.content;
    const isText = typeof content === "string";
    if (type === "tool_use") [others, calls] = [others + 1, calls + 1];
    if (type === "tool_result") [others, results] = [others + 1, results + 1];
    if ((type !== "user" && type !== "assistant") || isCompactSummary === true) continue;
    if (!isText && (!Array.isArray(content) || content.some((block) => typeof block !== "object"))) continue;
    const key = `${uuid} ${JSON.stringify(content)}`;
    if (uuid !== undefined && seen.has(key)) continue;
    seen.add(key);
    const blocks: readonly Any[] = isText ? [{ type: "text" }] : content;
    calls += blocks.filter((block) => block.type === "tool_use").length;
    const answered = blocks.filter((block) => block.type === "tool_result").length;
    results += answered;
    if (type === "assistant") answers.add(message.id ?? uuid ?? `${answers.size}`);
    else others += (answered > 0 ? 1 : 0) + (answered < blocks.length ? 1 : 0);
  }
  return { messages: answers.size + others, calls, results };
}

function countGemini(path: string): Counts {
  const text = readFileSync(path, "utf8");
  const messages: readonly Any[] = path.endsWith(".json")
    ? (JSON.parse(text).messages ?? JSON.parse(text).history)
    : parseLines(path);
  const said = messages.filter(({ type, role }) => ["user", "gemini", "model"].includes(type ?? role));
  const calls = said.flatMap(({ toolCalls }) => toolCalls ?? []);
  const answered = calls.filter(
    ({ result, resultDisplay }) => result !== undefined || typeof resultDisplay === "string",
  );
  const rounds = said.filter(({ toolCalls }) => (toolCalls ?? []).some((call: Any) => answered.includes(call)));
  return { messages: said.length + rounds.length, calls: calls.length, results: answered.length };
}

function countPi(path: string): Counts {
  const messages = parseLines(path).flatMap(({ type, message }) => (type === "message" ? [message] : []));
  const calls = messages
    .flatMap(({ role, content }) => (role === "assistant" ? content : []))
    .filter(({ type }) => type === "toolCall");
  return {
    messages: messages.length,
    calls: calls.length,
    results: messages.filter(({ role }) => role === "toolResult").length,
  };
}

/** Blocks of lines of one speaker. Blank lines end what the user said, and not what the model said. */
function countAider(path: string): Counts {
  let [messages, speaker] = [0, ""];
  for (const line of readFileSync(path, "utf8").split("\n")) {
    const next = line.startsWith("####")
      ? "user"
      : line.startsWith(">") || line.startsWith("# aider chat")
        ? "program"
        : "model";
    const isBlank = next === "model" && line.trim() === "";
    if (next !== speaker && !isBlank && next !== "program") messages += 1;
    if (!isBlank || speaker !== "model") speaker = isBlank ? "" : next;
  }
  return { messages, calls: 0, results: 0 };
}

describe("a recorded file", () => {
  beforeEach((context) => skipWithoutData(context));

  test.each(listFiles("claude-code", /\.jsonl$/))("of Claude Code is read completely: %s", async (path) => {
    expect(await countRead(path)).toMatchObject(countClaude(parseLines(path)));
  });

  test.each(listFiles("claude-code-variants", /\.jsonl$/).filter((path) => !path.endsWith("journal.jsonl")))(
    "of another version of Claude Code is read completely: %s",
    async (path) => {
      expect(await countRead(path)).toMatchObject(countClaude(parseLines(path)));
    },
  );

  test.each(listFiles("gemini-cli", /\.json$/))("of Gemini CLI is read completely: %s", async (path) => {
    expect(await countRead(path)).toMatchObject(countGemini(path));
  });

  test.each(listFiles("pi", /\.jsonl$/))("of pi is read completely: %s", async (path) => {
    expect(await countRead(path)).toMatchObject(countPi(path));
  });

  test.each(listFiles("aider", /\.md$/))("of aider is read completely: %s", async (path) => {
    expect(await countRead(path)).toMatchObject(countAider(path));
  });

  test.each(listFiles("codex", /\.jsonl$/))("of Codex is read completely: %s", async (path) => {
    const events = parseLines(path).map(({ payload }) => payload?.msg?.type);
    const messages = events.filter((type) => type === "agent_message").length;
    expect(await countRead(path)).toMatchObject({ messages, calls: 0, results: 0 });
  });

  test.each(listFiles("tau-bench", /\.json$/))("of tau-bench is read completely: %s", async (path) => {
    const trajectories: readonly Any[] = JSON.parse(readFileSync(path, "utf8"));
    const messages = trajectories.flatMap(({ traj }) => traj);
    const calls = messages.flatMap(({ tool_calls: made }) => made ?? []).length;
    const results = messages.filter(({ role }) => role === "tool").length;
    const expected = { messages: messages.length, calls, results, sessions: trajectories.length };
    expect(await countRead(path)).toEqual(expected);
  });

  const all = ["claude-code", "claude-code-variants", "gemini-cli", "pi", "aider", "tau-bench"].flatMap((name) =>
    listFiles(name, /\.(?:jsonl?|md)$/).filter((path) => !/journal|LICENSE/.test(path)),
  );

  test.each(everyNth(all, 6))("is stored as it was read, and a second import adds nothing: %s", async (path) => {
    const { sessions: _, ...read } = await countRead(path);
    expect(await countStored(path)).toEqual({ ...read, again: 0 });
  });
});

describe("a fixture of a tool", () => {
  beforeEach((context) => skipWithoutData(context));
  const agents = listFiles("import-fixtures", /\.jsonl?$/).map((path) =>
    path.slice(folder("import-fixtures").length + 1),
  );
  const partsOf = /opencode|\.meta\.json$|state\.json$|summary\.json$/;
  const ours = /\/(?:claude|codex|copilot|gemini|pi)\/|^simonw|^jazzyalex\/(?:codex|session)_/;
  const others = agents.filter((path) => !ours.test(path) && !partsOf.test(path));

  test.each(agents.filter((path) => ours.test(path) && !partsOf.test(path)))(
    "that is supported is imported: %s",
    async (path) => {
      const palimpsest = await openPalimpsest({ store: "memory:", counter: "estimate" });
      const bytes = readFileSync(join(folder("import-fixtures"), path));
      const imported = await palimpsest.importTranscript(bytes, { name: basename(path) });
      expect(imported.problems.filter(({ reason }) => reason !== "it is not JSON")).toEqual([]);
      expect((await palimpsest.importTranscript(bytes, { name: basename(path) })).added).toBe(0);
    },
  );

  test.each(others)("that is not supported is refused: %s", async (path) => {
    const palimpsest = await openPalimpsest({ store: "memory:" });
    const bytes = readFileSync(join(folder("import-fixtures"), path));
    await expect(palimpsest.importTranscript(bytes, { name: basename(path) })).rejects.toThrow(
      /was written by (?:Cursor|Factory Droid|OpenClaw|Antigravity|Kimi Code|Hermes|Grok CLI|Qwen Code)|is not valid JSON/,
    );
  });
});
