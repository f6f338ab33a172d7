/** Prompts that quote other sessions of their tenant: only if the policy says so, and without what was deleted there. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { type OpenOptions, openPalimpsest, type Palimpsest, type Session } from "../src/index.ts";

const KEY = "The spare key of the boat shed hangs behind the blue barrel.";
const QUESTION = { role: "user", content: "Where does the spare key of the boat shed hang?" };
const ACROSS = { recall: { otherSessions: 10 } } as const;

let folder: string | undefined;
afterEach(async () => {
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  folder = undefined;
});

async function withEngine(options: OpenOptions, work: (palimpsest: Palimpsest) => Promise<void>): Promise<void> {
  const palimpsest = await openPalimpsest({ budgetTokens: 4_000, counter: "estimate", ...options });
  try {
    await work(palimpsest);
  } finally {
    await palimpsest.close();
  }
}

async function startHarbor(palimpsest: Palimpsest): Promise<Session> {
  const harbor = await palimpsest.session("harbor");
  await harbor.append([{ id: "m1", role: "user", content: KEY }], { format: "openai-chat" });
  await harbor.append([{ id: "m2", role: "assistant", content: "I will remember it." }]);
  return harbor;
}

/** Returns everything that the log of a session has, as an export shows it. */
async function readLog(palimpsest: Palimpsest, id: string): Promise<string> {
  const lines: string[] = [];
  for await (const line of palimpsest.exportSession(id)) lines.push(line);
  return lines.join("\n");
}

const textOf = (prompt: { readonly messages: unknown }): string => JSON.stringify(prompt.messages);

test("a prompt quotes no other session by default", async () => {
  await withEngine({}, async (palimpsest) => {
    await startHarbor(palimpsest);
    const session = await palimpsest.session("questions");
    const prompt = await session.prompt({ next: QUESTION });
    expect(prompt.report.recalled).toBeUndefined();
    expect(textOf(prompt)).not.toContain("blue barrel");
  });
});

describe.each(["memory:", "sqlite", "jsonl"])("a prompt with passages of another session, in the store %s", (kind) => {
  async function withStore(work: (palimpsest: Palimpsest) => Promise<void>): Promise<void> {
    folder = await mkdtemp(join(tmpdir(), "palimpsest-across-"));
    const store = { "memory:": "memory:", sqlite: `sqlite:${folder}/chats.db`, jsonl: `jsonl:${folder}` }[kind];
    await withEngine({ store, policy: ACROSS }, work);
  }

  test("names the session of each passage, and later prompts keep it", async () => {
    await withStore(async (palimpsest) => {
      await startHarbor(palimpsest);
      const session = await palimpsest.session("questions");
      const first = await session.prompt({ next: QUESTION });
      expect(first.report.recalled?.passages).toMatchObject([{ sessionId: "harbor", seq: 1, messageId: "m1" }]);
      expect(first.report.recalled?.text).toContain(`- user [m1 in the conversation harbor]: ${KEY}`);
      await session.append([{ role: "assistant", content: "Behind the blue barrel." }]);
      const second = await session.prompt({ next: { role: "user", content: "Thanks!" } });
      expect(second.messages.slice(0, first.messages.length)).toEqual(first.messages);
      expect((await session.prompt({ next: QUESTION })).report.recalled).toBeUndefined();
    });
  });

  test("loses them when the message is deleted", async () => {
    await withStore(async (palimpsest) => {
      const harbor = await startHarbor(palimpsest);
      const session = await palimpsest.session("questions");
      await session.prompt({ next: QUESTION });
      const fork = await session.fork(3);
      const { sessionIds } = await harbor.delete("m1");
      expect(sessionIds).toEqual(["harbor", "questions", fork.id]);
      expect(await readLog(palimpsest, "questions")).not.toContain("blue barrel");
      for (const reader of [session, fork]) {
        const prompt = await reader.prompt({ next: { role: "user", content: "And where is it now?" } });
        expect(textOf(prompt)).not.toContain("blue barrel");
        // The first prompt of a fork has no prompt before it to compare with.
        if (reader === session) expect(prompt.report.changes.map(({ reason }) => reason).join()).toContain("prune");
      }
    });
  });

  test("loses them when the session is deleted", async () => {
    await withStore(async (palimpsest) => {
      await startHarbor(palimpsest);
      const session = await palimpsest.session("questions");
      await session.prompt({ next: QUESTION });
      expect(await readLog(palimpsest, "questions")).toContain("blue barrel");
      await palimpsest.deleteSession("harbor");
      expect(await readLog(palimpsest, "questions")).not.toContain("blue barrel");
    });
  });
});

test("a message that its own session dismissed or cleared is not quoted in another one", async () => {
  await withEngine({ policy: ACROSS }, async (palimpsest) => {
    const harbor = await startHarbor(palimpsest);
    await harbor.dismiss("m1");
    const session = await palimpsest.session("questions");
    expect((await session.prompt({ next: QUESTION })).report.recalled).toBeUndefined();
    await harbor.undo();
    await harbor.clear();
    expect((await session.prompt({ next: QUESTION })).report.recalled).toBeUndefined();
  });
});

test("a fork does not quote messages that it shares with its parent", async () => {
  await withEngine({ policy: ACROSS }, async (palimpsest) => {
    const harbor = await startHarbor(palimpsest);
    const fork = await harbor.fork(2);
    expect((await fork.prompt({ next: QUESTION })).report.recalled).toBeUndefined();
  });
});

test("a session that is quoted does not count as used", async () => {
  await withEngine({ policy: ACROSS, clock: { now: () => (time += 1_000) } }, async (palimpsest) => {
    await startHarbor(palimpsest);
    const { updatedAt } = await palimpsest.describe("harbor");
    const session = await palimpsest.session("questions");
    expect((await session.prompt({ next: QUESTION })).report.recalled).toBeDefined();
    expect((await palimpsest.describe("harbor")).updatedAt).toBe(updatedAt);
  });
});

let time = Date.UTC(2026, 0, 1);

test("a session of another tenant is never quoted", async () => {
  folder = await mkdtemp(join(tmpdir(), "palimpsest-across-"));
  const store = `sqlite:${folder}/chats.db`;
  await withEngine({ store, tenant: "north" }, async (palimpsest) => void (await startHarbor(palimpsest)));
  await withEngine({ store, tenant: "south", policy: ACROSS }, async (palimpsest) => {
    const session = await palimpsest.session("questions");
    expect((await session.prompt({ next: QUESTION })).report.recalled).toBeUndefined();
  });
});
