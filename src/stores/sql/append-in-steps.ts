/** A batch as one statement after the other, for dialects that have no way to say it all at once. */
import type { Statement } from "./driver.ts";
import type { AppendSteps, MarkedPlace, StoredBatch } from "./sql-statements.ts";

interface MarkedBatch {
  readonly place: MarkedPlace;
  readonly batch: StoredBatch;
}

/** One by one, so that whoever takes them may rest in between. */
export function* appendInSteps(steps: AppendSteps, { place, batch }: MarkedBatch): Generator<Statement> {
  const { claim, blobs, entries, head, erased } = batch;
  yield steps.claim(place, claim);
  for (const blob of blobs) yield* steps.insertBlob(place, blob);
  for (const entry of entries) yield steps.insertEntry(place, entry);
  for (const entry of entries) if (entry.blobs.length > 0) yield steps.insertReferences(place, entry);
  for (const { id, searchable } of entries) if (searchable) yield* steps.insertText(place, { ...searchable, id });
  if (head !== undefined) yield steps.updateHead(place, head);
  for (const entry of erased) yield* steps.eraseEntry(place, entry);
}
