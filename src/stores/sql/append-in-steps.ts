/** A batch as one statement after the other, for dialects that have no way to say it all at once. */
import type { Statement } from "./driver.ts";
import type { AppendSteps, MarkedPlace, StoredBatch } from "./sql-statements.ts";

interface MarkedBatch {
  readonly place: MarkedPlace;
  readonly batch: StoredBatch;
}

export function appendInSteps(steps: AppendSteps, { place, batch }: MarkedBatch): readonly Statement[] {
  const { claim, blobs, entries, head, erased } = batch;
  return [
    steps.claim(place, claim),
    ...blobs.flatMap((blob) => steps.insertBlob(place, blob)),
    ...entries.map((entry) => steps.insertEntry(place, entry)),
    ...entries.flatMap((entry) => (entry.blobs.length > 0 ? steps.insertReferences(place, entry) : [])),
    ...entries.flatMap(({ id, searchable }) => (searchable ? steps.insertText(place, { ...searchable, id }) : [])),
    ...(head === undefined ? [] : [steps.updateHead(place, head)]),
    ...erased.flatMap((entry) => steps.eraseEntry(place, entry)),
  ];
}
