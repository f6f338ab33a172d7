/**
 * Sessions of the workspace document, through the engine on its file: when one starts, which one is current, when an
 * exchange is stored, and what the engine loads when it starts. The model is a real server.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { streamText } from "ai";
import { describe, expect, test } from "vitest";
import { openPalimpsest } from "../../src/compose.ts";
import type { Session } from "../../src/engine/session/session.ts";
import type { Store, TenantStore } from "../../src/ports/store.ts";
import { shows } from "../../src/testing/shows.ts";
import { appendChange, summarize } from "../../src/testing/store-contract/contract-log.ts";
import { askHistory } from "../support/ask-history.ts";
import { repositoryRoot } from "../support/read-repository.ts";
import { startScriptedProvider } from "../support/scripted-provider.ts";
import { type ScriptedReply, scriptedReplies } from "../support/scripted-provider-reply.ts";
import { TestFolder } from "./jsonl-folder.ts";

const user = (content: string) => ({ role: "user", content });
const assistant = (content: string) => ({ role: "assistant", content });
const open = (store: Store) => openPalimpsest({ store, policy: "workspace", counter: "estimate" });
const openStore = (folder: TestFolder) => folder.open({ format: "workspace" });

/** The fields of a record in the history file. */
type FoundRecord = Readonly<Record<string, string>>;

interface SaidLine {
  readonly session_id: string;
  readonly role: string;
  readonly content: string;
}

/** Lists the messages of the file in order. */
function saidIn(folder: TestFolder): readonly SaidLine[] {
  const text = readFileSync(join(folder.path, ".ac-dc", "history.jsonl"), "utf8");
  const lines: readonly SaidLine[] = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  return lines.filter(({ role }) => role !== undefined);
}

describe("a session", () => {
  test(shows("S3-35", "starts with the first message or on request"), async () => {
    await using folder = new TestFolder();
    const palimpsest = await open(openStore(folder));
    expect(await palimpsest.sessions()).toEqual([]);
    // No session has been created yet, so the first message starts one.
    const first = await palimpsest.restore();
    await first.append(user("Hello."));
    expect(saidIn(folder)).toMatchObject([{ session_id: first.id, content: "Hello." }]);
    // A session that was created explicitly gets the next messages.
    const second = await palimpsest.create();
    expect(second.id).not.toBe(first.id);
    await second.append(user("Anew."));
    expect(saidIn(folder).map(({ session_id, content }) => [session_id, content])).toEqual([
      [first.id, "Hello."],
      [second.id, "Anew."],
    ]);
    expect(await second.history()).toMatchObject([{ parts: [{ text: "Anew." }] }]);
    await palimpsest.close();
  });

  test(shows("S3-36", "becomes current when it is loaded, and gets later messages"), async () => {
    await using folder = new TestFolder();
    const palimpsest = await open(openStore(folder));
    const [old, newer] = [await palimpsest.create(), await palimpsest.create()];
    await old.append([user("In the old one."), assistant("Yes.")]);
    await newer.append([user("In the newer one."), assistant("Yes.")]);
    await palimpsest.close();
    const again = await open(openStore(folder));
    let current: Session = await again.restore();
    expect(current.id).toBe(newer.id);
    current = await again.load(old.id);
    const prompt = await current.prompt({ next: user("And further.") });
    const sent = JSON.stringify(prompt.messages);
    expect([sent.includes("In the old one."), sent.includes("In the newer one.")]).toEqual([true, false]);
    await current.append(assistant("Gladly."), { promptId: prompt.id });
    expect(saidIn(folder).map(({ session_id }) => session_id)).toEqual(
      [old, old, newer, newer, old, old].map(({ id }) => id),
    );
    expect((await again.load(newer.id).then((session) => session.history())).length).toBe(2);
    await again.close();
    // It is still current after a restart.
    const last = await open(openStore(folder));
    expect((await last.restore()).id).toBe(old.id);
    await last.close();
  });

  test(
    shows("S3-47", "that is loaded keeps its files and edits in the history file, and does not send them to the model"),
    async () => {
      await using folder = new TestFolder();
      const before = await open(openStore(folder));
      const session = await before.create();
      const edits = [{ file: "src/a.ts", status: "applied" }];
      const appendMessage = (role: string, text: string, workspace: object) =>
        session.append([{ role, parts: [{ type: "text", text }], extras: { workspace } }], { format: "palimpsest" });
      await appendMessage("user", "Look at it.", { files: ["src/a.ts"] });
      await appendMessage("assistant", "Done.", { files_modified: ["src/a.ts"], edit_results: edits });
      await before.close();
      const store = openStore(folder);
      const after = await open(store);
      const loaded = await after.load(session.id);
      // The model and the host see only role and text.
      const shown = await loaded.prompt({ preview: true });
      for (const provider of ["openai", "anthropic", "gemini"] as const) {
        expect(JSON.stringify(shown.as(provider))).not.toMatch(/src\/a\.ts|applied/);
      }
      expect(JSON.stringify(shown.forStreamText())).not.toMatch(/src\/a\.ts|applied/);
      expect(await askHistory(folder, "get_session_messages_for_context", session.id)).toEqual([
        { role: "user", content: "Look at it." },
        { role: "assistant", content: "Done." },
      ]);
      // The file has the full records.
      const records = [{ files: ["src/a.ts"] }, { files_modified: ["src/a.ts"], edit_results: edits }];
      expect(saidIn(folder)).toMatchObject(records);
      expect(await askHistory(folder, "history_get_session", session.id)).toMatchObject(records);
      await after.close();
    },
  );
});

/** Sends one question to a model behind a socket; `reply` is called when the request has arrived. */
async function ask(
  session: Session,
  reply: () => ScriptedReply,
  { abortAfterMs, onText }: { readonly abortAfterMs?: number; readonly onText?: () => void } = {},
): Promise<string> {
  await using provider = await startScriptedProvider(() => reply());
  const model = createOpenAICompatible({ name: "scripted", baseURL: `${provider.url}/v1` })("any");
  const prompt = await session.prompt({ next: user("Are you there?") });
  const signal = abortAfterMs === undefined ? undefined : AbortSignal.timeout(abortAfterMs);
  const options = { model, ...prompt.forStreamText(), maxRetries: 0, onError: () => undefined };
  const stream = streamText({ ...options, ...(signal && { abortSignal: signal }) });
  let text = "";
  try {
    for await (const part of stream.fullStream) {
      if (part.type === "error" || part.type === "abort") throw new Error("no answer");
      if (part.type !== "text-delta") continue;
      text += part.text;
      onText?.();
    }
    await session.append(assistant(text), { promptId: prompt.id });
  } catch (error) {
    await session.ended(prompt.id, String(error));
  }
  return text;
}

describe("an exchange", () => {
  test(shows("S3-48", "stores the question before the request and the answer when it is complete"), async () => {
    await using folder = new TestFolder();
    const palimpsest = await open(openStore(folder));
    const session = await palimpsest.create();
    const linesNow = () => saidIn(folder).map(({ role, content }) => `${role}: ${content}`);
    const [whenAsked, seen]: [string[][], string[][]] = [[], []];
    const answer = "Yes, and I answer in two parts.";
    const rest = Promise.withResolvers<void>();
    const reply = () => {
      whenAsked.push(linesNow());
      return scriptedReplies.held(answer, rest.promise);
    };
    const onText = () => {
      seen.push(linesNow());
      rest.resolve();
    };
    await ask(session, reply, { onText });
    const asked = ["user: Are you there?"];
    expect(whenAsked).toEqual([asked]);
    // While the answer streamed, nothing of it was stored.
    expect(seen.length).toBeGreaterThan(1);
    for (const lines of seen) expect(lines).toEqual(asked);
    expect(linesNow()).toEqual([...asked, `assistant: ${answer}`]);
    await palimpsest.close();
  });

  test(shows("S3-49", "that fails or is canceled leaves only the question"), async () => {
    await using folder = new TestFolder();
    const palimpsest = await open(openStore(folder));
    const [failed, canceled, kept] = [await palimpsest.create(), await palimpsest.create(), await palimpsest.create()];
    await kept.append([user("Before."), assistant("Yes.")]);
    await ask(failed, () => scriptedReplies.serverError());
    await ask(canceled, () => scriptedReplies.hang(), { abortAfterMs: 100 });
    await palimpsest.close();
    await dieWhileAsking(folder, kept.id);
    const store = openStore(folder);
    const again = await open(store);
    const counts = new Map(
      (await askHistory(folder, "history_list_sessions")).map((each: FoundRecord) => [
        each.session_id,
        each.message_count,
      ]),
    );
    expect([failed, canceled, kept].map(({ id }) => counts.get(id))).toEqual([1, 1, 3]);
    for (const { id } of [failed, canceled, kept]) {
      const session = await again.load(id);
      expect((await session.transcript()).at(-1)).toMatchObject({ role: "user", parts: [{ text: "Are you there?" }] });
      // The session continues.
      const text = await ask(session, () => scriptedReplies.text("Now I am."));
      expect(text).toBe("Now I am.");
    }
    await again.close();
  });

  test(shows("S3-44", "has its messages in memory and in the file when it ends"), async () => {
    await using folder = new TestFolder();
    const palimpsest = await open(openStore(folder));
    const session = await palimpsest.create();
    for (const turn of [1, 2]) {
      const prompt = await session.prompt({ next: { role: "user", content: `Question ${turn}` } });
      await session.append([{ role: "assistant", content: `Answer ${turn}` }], { promptId: prompt.id });
      const contents = saidIn(folder).map(({ content }) => content);
      expect(contents).toEqual(["Question 1", "Answer 1", "Question 2", "Answer 2"].slice(0, turn * 2));
      expect(JSON.stringify((await session.prompt({ preview: true })).messages)).toContain(`Answer ${turn}`);
    }
    await palimpsest.close();
  });

  /** Runs a process that creates a prompt and is killed before any answer. */
  async function dieWhileAsking(folder: TestFolder, id: string): Promise<void> {
    const source = `
      const { openPalimpsest } = await import(${JSON.stringify(join(repositoryRoot, "src/index.ts"))});
      const { openJsonlStore } = await import(${JSON.stringify(join(repositoryRoot, "src/stores/jsonl/jsonl-store.ts"))});
      const store = openJsonlStore({ folder: ${JSON.stringify(folder.path)}, format: "workspace" });
      const palimpsest = await openPalimpsest({ store, policy: "workspace", counter: "estimate" });
      await (await palimpsest.load(${JSON.stringify(id)})).prompt({ next: { role: "user", content: "Are you there?" } });
      process.kill(process.pid, "SIGKILL");`;
    const child = spawn(process.execPath, ["--input-type=module", "--eval", source], { stdio: "ignore" });
    expect((await once(child, "exit"))[1]).toBe("SIGKILL");
  }
});

describe("an engine that starts", () => {
  test(shows("S3-144", "loads the last session with its messages"), async () => {
    await using folder = new TestFolder();
    const before = await open(openStore(folder));
    for (const word of ["old", "new"]) await (await before.create()).append([user(`In ${word}.`), assistant("Yes.")]);
    await before.close();
    const store = openStore(folder);
    const calls: string[] = [];
    let entriesRead = 0;
    const countRead = (entries: unknown) => {
      entriesRead += Array.isArray(entries) ? entries.length : 0;
    };
    const watched = (tenant: TenantStore) =>
      new Proxy(tenant, {
        get(target, name) {
          const value: unknown = Reflect.get(target, name);
          if (typeof value !== "function") return value;
          return (...values: unknown[]) => {
            calls.push(String(name));
            const answer: unknown = Reflect.apply(value, target, values);
            if (name === "readEntries") void Promise.resolve(answer).then(countRead);
            return answer;
          };
        },
      });
    // The server restores the current session before it accepts connections.
    const palimpsest = await open({ ...store, tenant: (id) => watched(store.tenant(id)) });
    const current = await palimpsest.restore();
    expect(calls).toContain("readView");
    calls.length = 0;
    entriesRead = 0;
    // The state for the first client, without reading a message.
    const state = (await current.history()).map(({ role, parts }) => [role, parts]);
    expect(state).toEqual([
      ["user", [{ type: "text", text: "In new." }]],
      ["assistant", [{ type: "text", text: "Yes." }]],
    ]);
    // It checks for new entries of other processes; there are none.
    expect(calls).not.toContain("readView");
    expect(entriesRead).toBe(0);
    await palimpsest.close();
  });
});

test(shows("S3-159", "summaries and prunes in the file do not count as messages"), async () => {
  await using folder = new TestFolder();
  const store = openStore(folder);
  const palimpsest = await open(store);
  const session = await palimpsest.create();
  const tenant = store.tenant("local");
  await session.append([user("Hello there."), assistant("Yes."), user("Two."), assistant("Yes."), user("More.")]);
  const { id: messageId = "" } = (await session.transcript())[2] ?? {};
  const pruned = { seq: 3, messageId, partIndex: 0, fate: "pruned", reason: "old" } as const;
  const replacement = { type: "text", text: "Hello, this was pruned." } as const;
  await appendChange(
    tenant,
    { type: "prune", prunes: [{ ...pruned, replacement }], reason: "Hello prune." },
    session.id,
  );
  await appendChange(tenant, summarize("Hello summary.", 2), session.id);
  const text = readFileSync(join(folder.path, ".ac-dc", "history.jsonl"), "utf8");
  expect(text).toContain("Hello summary.");
  expect(text).toContain("Hello, this was pruned.");
  const [listed] = await askHistory(folder, "history_list_sessions");
  expect(listed).toMatchObject({ message_count: 5, preview: "Hello there.", first_role: "user" });
  const records = await askHistory(folder, "history_get_session", session.id);
  expect(records.length).toBe(5);
  expect(JSON.stringify(records)).not.toMatch(/summary|prune/);
  expect((await askHistory(folder, "history_search", "hello")).map(({ snippet }: FoundRecord) => snippet)).toEqual([
    "Hello there.",
  ]);
  await palimpsest.close();
});
