/** Options of verbs that read or work: a mistake is told with its name before any store or job sees it. */
import { describe, expect, test } from "vitest";
import { openPalimpsest } from "../src/compose.ts";
import type { Palimpsest } from "../src/engine/palimpsest.ts";
import type { Session } from "../src/engine/session.ts";
import { createMemoryStore } from "../src/stores/memory/memory-store.ts";

interface Scene {
  readonly palimpsest: Palimpsest;
  readonly session: Session;
}

async function scene(): Promise<Scene> {
  const palimpsest = await openPalimpsest({ store: createMemoryStore(), counter: "estimate" });
  const session = await palimpsest.session("s");
  await session.append([
    { role: "user", content: "One." },
    { role: "assistant", content: "Two." },
  ]);
  return { palimpsest, session };
}

/** As somebody calls it whom no compiler has warned. */
const entries = (range: unknown) => (on: Scene) => on.session.entries(range as never);
const refused = (options: unknown) => (on: Scene) => on.session.refused(new Error("too long"), options as never);
const work = (options: unknown) => (on: Scene) => on.palimpsest.work(options as never);
const close = (options: unknown) => (on: Scene) => on.palimpsest.close(options as never);

describe("is refused with its name, what was found and what there is", () => {
  test.each([
    ["a range that is none", entries(5), /^session\.entries: expected an object of options, found 5/],
    ["a key of a range that nobody reads", entries({ from: 1 }), /^session\.entries: from: .*afterSeq, throughSeq/],
    ["a place below the first", entries({ afterSeq: -1 }), /^session\.entries: afterSeq: expected a whole number/],
    ["half a place", entries({ throughSeq: 1.5 }), /^session\.entries: throughSeq: .*found 1\.5/],
    ["a limit in words", entries({ limit: "ten" }), /^session\.entries: limit: .*found "ten"/],
    [
      "one type instead of a list",
      entries({ types: "message" }),
      /^session\.entries: types: expected a list of message/,
    ],
    ["a type that does not exist", entries({ types: ["message", "toString"] }), /^session\.entries: types/],
    ["a direction in words", entries({ newestFirst: "yes" }), /^session\.entries: newestFirst: expected true or false/],
    ["a refusal's key that nobody reads", refused({ prompt: "p" }), /^session\.refused: prompt: .*promptId, next/],
    ["a prompt by number", refused({ promptId: 5 }), /^session\.refused: promptId: expected a text, found 5/],
    ["options of a refusal that are none", refused("p"), /^session\.refused: expected an object/],
    ["work that is done twice", work({ twice: true }), /^work: twice: .*once, newestSessions, everyMs, signal/],
    ["once in words", work({ once: "yes" }), /^work: once/],
    ["no sessions", work({ newestSessions: 0 }), /^work: newestSessions: expected a whole number from 1 on/],
    ["a pause that no timer takes", work({ everyMs: 2 ** 31 }), /^work: everyMs/],
    ["a signal that is none", work({ signal: {} }), /^work: signal: expected an AbortSignal/],
    ["patience in words", close({ withinMs: "long" }), /^close: withinMs/],
    ["a closing key that nobody reads", close({ force: true }), /^close: force: .*withinMs/],
  ])("%s", async (_, ask, text) => {
    const on = await scene();
    await expect(ask(on)).rejects.toMatchObject({ code: "config-invalid", message: expect.stringMatching(text) });
    expect((await on.session.entries()).length).toBe(2);
  });
});

test("what is allowed is done", async () => {
  const { palimpsest, session } = await scene();
  const range = { afterSeq: 0, throughSeq: 9, types: ["message"], limit: 1, newestFirst: true } as const;
  expect((await session.entries(range)).map(({ seq }) => seq)).toEqual([2]);
  expect(await session.entries({ limit: 0 })).toEqual([]);
  expect(await session.entries({ limit: undefined })).toHaveLength(2);
  await palimpsest.work({ once: true, newestSessions: 5, everyMs: 10, signal: new AbortController().signal });
  await palimpsest.close({ withinMs: 100 });
});
