/** Tests of the crash check itself: it reports losses and nothing else. */
import { expect, test } from "vitest";
import { openPalimpsest } from "../../src/compose.ts";
import { createMemoryStore } from "../../src/stores/memory/memory-store.ts";
import { checkWritten } from "./check-written.ts";
import { type WriterLine, wordsOf } from "./writer-task.ts";

const idOf = (index: number, count: number) => `w/${index}/${count}`;
const talk = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: idOf(index, count),
    role: index % 2 === 0 ? "user" : "assistant",
    content: `${wordsOf(idOf(index, count))} ${"and so on ".repeat(20)}`,
  }));

/**
 * Appends messages, then a second engine compacts the session and erases what it summarized. Returns the first engine's
 * acknowledgements.
 */
async function foldedByAnother() {
  const store = createMemoryStore();
  const policy = { retention: "delete" } as const;
  const open = () => openPalimpsest({ store, counter: "estimate", budgetTokens: 900, policy });
  const { messages } = await (await (await open()).session("s")).append(talk(20));
  const reports: WriterLine[] = [
    { type: "appended", session: "s", ids: messages.map(({ id }) => id), seqs: messages.map(({ seq }) => seq) },
  ];
  const other = await (await open()).session("s");
  expect(await other.compact()).toMatchObject({ type: "compacted" });
  return { tenant: store.tenant("local"), reports };
}

test("checkWritten does not count messages as lost if another writer folded and erased them", async () => {
  const { tenant, reports } = await foldedByAnother();
  const erased = (await tenant.readEntries("s", {})).filter(
    (entry) => entry.type === "message" && entry.erased === true,
  );
  expect(erased.length).toBeGreaterThan(5);
  expect(await checkWritten(tenant, reports)).toMatchObject({ lost: [], duplicated: [], violations: [] });
});

test("checkWritten counts a missing message and an erased text without a summary as lost", async () => {
  const { tenant, reports } = await foldedByAnother();
  const last = idOf(19, 20);
  await tenant.append("s", { entries: [], erase: [last] });
  const { lost } = await checkWritten(tenant, [
    ...reports,
    { type: "appended", session: "s", ids: ["gone"], seqs: [99] },
  ]);
  expect(lost).toEqual([`the words of ${last}`, "gone"]);
});
