/** The offline model in a chat: what it reads of a session at each turn, and that it quotes nothing that was erased. */
import { afterAll, describe, expect, test } from "vitest";
import { openPalimpsest } from "../src/compose.ts";
import type { Session } from "../src/engine/session/session.ts";
import { FollowedTranscript } from "../src/models/followed-transcript.ts";
import { createOfflineChat } from "../src/models/offline-chat.ts";
import { sqliteFiles } from "./stores/sqlite-files.ts";
import { openMeasuredEngine } from "./support/watch-work.ts";

const files = sqliteFiles();
afterAll(() => files.remove());

const never = new AbortController().signal;
const chat = createOfflineChat();

/** A turn as the server runs it: the question is in the log, the model answers, and the answer is stored. */
async function ask(session: Session, question: string): Promise<string> {
  await session.append({ role: "user", content: question });
  const { messages } = await session.prompt();
  expect(messages.length).toBeGreaterThan(0);
  const request = { instructions: "", messages: [], maxOutputTokens: 500 };
  const outcome = await chat.forSession(session).generate(request, never);
  const text = outcome.type === "text" ? outcome.text : `${outcome.type}: ${outcome.reason}`;
  await session.append({ role: "assistant", content: text });
  return text;
}

const talk = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => ({
    id: `m${from + index}`,
    role: index % 2 === 0 ? "user" : "assistant",
    content: `Crate ${from + index} went to shelf ${(from + index) % 97}. ${"It is heavy and blue. ".repeat(6)}`,
  }));

describe("the part of a session that the offline model reads", () => {
  test("is only what is new since the previous turn, for a log of any length", async () => {
    const read: Record<number, readonly number[]> = {};
    for (const length of [200, 2_000]) {
      const { palimpsest, takeWork } = openMeasuredEngine(3_000, await files.open(files.newPath()));
      const session = await palimpsest.session();
      await session.append(talk(length));
      await ask(session, "Where did crate 17 go?");
      expect(takeWork().entriesRead).toBeGreaterThan(length);
      const turns: number[] = [];
      for (const crate of [18, 19, 20]) {
        expect(await ask(session, `Where did crate ${crate} go?`)).toContain(`shelf ${crate}`);
        turns.push(takeWork().entriesRead);
      }
      read[length] = turns;
      await palimpsest.close();
    }
    expect(read[2_000]).toEqual(read[200]);
    expect(Math.max(...(read[2_000] ?? []))).toBeLessThan(30);
  });

  test("is limited to the newest messages of a long session, also while it grows", async () => {
    const palimpsest = await openPalimpsest();
    const session = await palimpsest.session();
    await session.append(talk(600));
    const transcript = new FollowedTranscript(session, 20_000);
    const isNewest = async (end: number) => {
      const ids = (await transcript.read()).messages.map(({ id }) => id);
      expect(ids).toEqual(talk(ids.length, end - ids.length).map(({ id }) => id));
      return ids.length;
    };
    expect(await isNewest(600)).toBe(100);
    for (let from = 600; from < 1_200; from += 40) {
      await session.append(talk(40, from));
      expect(await isNewest(from + 40)).toBeLessThanOrEqual(200);
    }
    expect((await new FollowedTranscript(session).read()).messages).toHaveLength(1_200);
    await palimpsest.close();
  });

  test("includes messages of other writers, also after a change of the past", async () => {
    const path = files.newPath();
    const [here, there] = [
      await openPalimpsest({ store: `sqlite:${path}` }),
      await openPalimpsest({ store: `sqlite:${path}` }),
    ];
    const session = await here.session("s");
    await session.append(talk(20));
    expect(await ask(session, "Where did crate 3 go?")).toContain("shelf 3");
    const elsewhere = await there.session("s");
    await elsewhere.append({ role: "user", content: "The kiln is fired at 1,060 degrees." });
    expect(await ask(session, "How hot is the kiln fired?")).toContain("1,060");
    await elsewhere.clear();
    expect(await ask(session, "How hot is the kiln fired, again?")).not.toContain("1,060");
    await elsewhere.undo();
    expect(await ask(session, "Where did crate 5 go?")).toContain("shelf 5");
    await Promise.all([here.close(), there.close()]);
  });
});

describe("an erased message", () => {
  const secret = { id: "secret", role: "user", content: "The kiln is fired at 1,060 degrees, said Ilse." };

  test("is not quoted after its owner has deleted it, neither in its session nor in a fork", async () => {
    const palimpsest = await openPalimpsest({ store: `sqlite:${files.newPath()}` });
    const session = await palimpsest.session("s");
    await session.append([...talk(6), secret, ...talk(6, 6)]);
    const fork = await session.fork();
    for (const each of [session, fork]) expect(await ask(each, "How hot is the kiln fired?")).toContain("1,060");
    const answers = (await session.entries({ afterSeq: 13, types: ["message"] })).map(({ id }) => id);
    const ofFork = (await fork.entries({ afterSeq: 13, types: ["message"] })).map(({ id }) => id);
    await session.delete("secret");
    for (const id of answers) await session.delete(id);
    for (const id of ofFork) await fork.delete(id);
    for (const each of [session, fork]) expect(await ask(each, "How hot is the kiln fired?")).not.toContain("1,060");
    await palimpsest.close();
  });

  test("is quoted after a compaction that erases only while a fork still reads it", async () => {
    const options = { counter: "estimate", budgetTokens: 4_000, policy: { retention: "delete" } } as const;
    const palimpsest = await openPalimpsest({ store: `sqlite:${files.newPath()}`, ...options });
    const session = await palimpsest.session("s");
    await session.append([secret, ...talk(40)]);
    const texts = async () => (await answersOf(session)).join("\n");
    expect(await texts()).toContain("1,060");
    const fork = await session.fork(12);
    expect(await session.compact()).toMatchObject({ type: "compacted" });
    expect(await texts()).toContain("1,060");
    expect(await texts()).not.toContain("Crate 12 ");
    await palimpsest.deleteSession(fork.id);
    expect(await texts()).not.toContain("1,060");
    await palimpsest.close();
  });
});

/** Asks the model about two messages, and returns its answers. */
async function answersOf(session: Session): Promise<readonly string[]> {
  const model = chat.forSession(session);
  const asked = ["How hot is the kiln fired?", "Where did crate 12 go?"];
  const texts: string[] = [];
  for (const question of asked) {
    const messages = [{ id: "q", role: "user" as const, parts: [{ type: "text" as const, text: question }] }];
    await session.append({ role: "user", content: question });
    const outcome = await model.generate({ instructions: "", messages, maxOutputTokens: 500 }, never);
    texts.push(outcome.type === "text" ? outcome.text : outcome.reason);
  }
  return texts;
}
