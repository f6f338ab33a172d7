/**
 * Session trees that are moved from store to store: exported, imported, compacted and exported again. Each export of an
 * import equals its file, and the session continues in every store as it would in the first.
 */
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { openPalimpsest } from "../src/compose.ts";
import type { Palimpsest } from "../src/engine/palimpsest.ts";
import type { Session } from "../src/engine/session/session.ts";
import { describePostgres } from "./support/describe-postgres.ts";
import { newFolders } from "./support/new-folders.ts";
import { propertyRuns } from "./support/property-runs.ts";

const newFolder = newFolders("transfer");

/** One step of a session; `at` is a position as a fraction of the log. */
type Step =
  | { readonly type: "say"; readonly exchanges: number }
  | { readonly type: "ask" | "compact" | "undo" | "pin" | "clear" | "delete" }
  | { readonly type: "fork"; readonly at: number };

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.integer({ min: 1, max: 4 }).map((exchanges): Step => ({ type: "say", exchanges })) },
    { weight: 3, arbitrary: fc.constant<Step>({ type: "compact" }) },
    { weight: 2, arbitrary: fc.constantFrom<Step>({ type: "ask" }, { type: "undo" }) },
    { weight: 1, arbitrary: fc.constantFrom<Step>({ type: "pin" }, { type: "clear" }, { type: "delete" }) },
    { weight: 4, arbitrary: fc.double({ min: 0, max: 1, noNaN: true }).map((at): Step => ({ type: "fork", at })) },
  ),
  { minLength: 4, maxLength: 14 },
);

const words = "the harbour master writes every ship and every tide into the book ".repeat(4);
let count = 0;
const exchange = () => {
  count += 1;
  return [
    { role: "user", content: `Question ${count}: ${words}` },
    { role: "assistant", content: `Answer ${count}: ${words}` },
  ];
};

const open = (store: string): Promise<Palimpsest> => openPalimpsest({ store, counter: "estimate", budgetTokens: 900 });

/** Follows the steps into the newest fork, and returns every session on the way. */
async function growTree(palimpsest: Palimpsest, planned: readonly Step[]): Promise<readonly Session[]> {
  const sessions = [await palimpsest.session()];
  for (const step of planned) {
    const session = sessions.at(-1) ?? (await palimpsest.session());
    if (step.type === "fork") sessions.push(await session.fork(Math.floor(step.at * (await session.entries()).length)));
    else await take(session, step);
  }
  return sessions;
}

async function take(session: Session, step: Exclude<Step, { type: "fork" }>): Promise<void> {
  const newestId = async () => (await session.transcript()).at(-1)?.id;
  switch (step.type) {
    case "say":
      for (let index = 0; index < step.exchanges; index += 1) await session.append(exchange());
      return;
    case "ask":
      await session.prompt({ instructions: "Be brief." });
      return;
    case "compact":
      await session.compact();
      return;
    case "undo":
      await session.undo();
      return;
    case "clear":
      return session.clear();
    default: {
      const id = await newestId();
      if (id !== undefined) await (step.type === "pin" ? session.pin(id) : session.delete(id));
    }
  }
}

async function linesOf(palimpsest: Palimpsest, id: string): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const line of palimpsest.exportSession(id, { secrets: "keep" })) lines.push(line);
  return lines;
}

const seenBy = async (palimpsest: Palimpsest, id: string) => {
  const { messages } = await (await palimpsest.load(id)).prompt({ preview: true, budgetTokens: 1_000_000 });
  return messages;
};

interface SessionTransfer {
  readonly id: string;
  readonly from: Palimpsest;
  readonly to: Palimpsest;
}

/** Parses all lines but the last, which has the checksum: the order of keys differs between stores. */
const recordsOf = (lines: readonly string[]): readonly unknown[] => lines.slice(0, -1).map((line) => JSON.parse(line));

/** Moves a session to another store, and checks that its export there equals the import. */
async function transferSession({ id, from, to }: SessionTransfer): Promise<void> {
  const lines = await linesOf(from, id);
  await to.importSession(lines);
  expect(recordsOf(await linesOf(to, id))).toEqual(recordsOf(lines));
  expect(await seenBy(to, id)).toEqual(await seenBy(from, id));
}

/** Moves each session of a tree through a chain of stores, and compacts it in each. */
function survivesTransfer(openNext: (index: number) => Promise<Palimpsest>, runs: number): Promise<void> {
  let stores = 0;
  return fc.assert(
    fc.asyncProperty(steps, async (planned) => {
      const opened: Palimpsest[] = [];
      const next = async () => {
        const palimpsest = await openNext(stores++);
        opened.push(palimpsest);
        return palimpsest;
      };
      try {
        const [first, second, third] = [await next(), await next(), await next()];
        for (const { id } of await growTree(first, planned)) {
          await transferSession({ id, from: first, to: second });
          const there = await second.load(id);
          for (let index = 0; index < 3; index += 1) await there.append(exchange());
          await there.compact();
          await transferSession({ id, from: second, to: third });
          await (await third.load(id)).undo();
          const again = await third.load(id);
          await again.append(exchange());
          await again.compact();
          await third.importSession(await linesOf(third, id), { id: `${id}-again` });
          expect(await seenBy(third, `${id}-again`)).toEqual(await seenBy(third, id));
        }
      } finally {
        for (const palimpsest of opened) await palimpsest.close();
      }
    }),
    { numRuns: runs },
  );
}

describe("a session tree survives export, import, compaction, export and import", () => {
  test("on the memory store", async () => {
    await survivesTransfer(() => open("memory:"), propertyRuns(20));
  });

  test("on SQLite", async () => {
    const folder = newFolder();
    await survivesTransfer((index) => open(`sqlite:${join(folder, `${index}.db`)}`), propertyRuns(4));
  });

  test("on JSONL files", async () => {
    const folder = newFolder();
    await survivesTransfer((index) => open(`jsonl:${join(folder, `${index}`)}`), propertyRuns(4));
  });
});

await describePostgres("a session tree survives export, import, compaction, export and import", (server) => {
  afterAll(() => server.close());

  test("on PostgreSQL", async () => {
    await survivesTransfer(async () => open(await server.newDatabase()), propertyRuns(2));
  });
});
