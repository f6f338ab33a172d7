/**
 * Images that wait in the composer of each conversation. The tab keeps their names, and the browser a copy of each, so
 * that those of a message that could not be sent come back with its words.
 */
import { readFields, readList, readText } from "../api/fields.ts";
import { type ComposedImage, findPreview, findSent, holdPreview, letGoPreview, type SentImage } from "../api/images.ts";
import { keepByTab } from "../hooks/tab-storage.ts";

export interface HeldImage extends ComposedImage {
  /** The same image may be there twice, and has one reference then. */
  readonly key: number;
  readonly name: string;
  readonly preview: string;
  /** As it was sent at some time; undefined for one that a message of the log has. */
  readonly known?: SentImage | undefined;
}

export interface Shelf {
  readonly held: readonly HeldImage[];
  /** Known by name; their copies have to be found first. */
  readonly awaited: readonly SentImage[];
  /** What was not taken, and why; empty where all was. */
  readonly refused: string;
}

let newestKey = 0;

export function nextKey(): number {
  newestKey += 1;
  return newestKey;
}

export const EMPTY_SHELF: Shelf = { held: [], awaited: [], refused: "" };

const shelves = keepByTab<Shelf>({
  prefix: "images ",
  decode(stored) {
    const awaited = stored === undefined ? [] : readSent(stored);
    // Held from now on: whatever stands on a shelf is let go of when it leaves it.
    for (const { reference } of awaited) holdPreview(reference);
    return { ...EMPTY_SHELF, awaited };
  },
  encode(shelf) {
    const known = listKnown(shelf);
    return known.length === 0 ? undefined : JSON.stringify(known);
  },
});

export const followShelves = shelves.follow;
export const readShelf = shelves.read;

export function changeShelf(sessionId: string, change: (shelf: Shelf) => Shelf): void {
  const before = shelves.read(sessionId);
  const after = change(before);
  for (const { reference } of listKnown(after)) holdPreview(reference);
  for (const { reference } of listKnown(before)) letGoPreview(reference);
  shelves.keep(sessionId, after);
}

export function giveBackImages(sessionId: string, images: readonly SentImage[]): void {
  if (images.length > 0) changeShelf(sessionId, (shelf) => ({ ...shelf, awaited: [...shelf.awaited, ...images] }));
}

/** Those that wait here, for somewhere else. */
export function takeImages(sessionId: string): readonly SentImage[] {
  const known = listKnown(shelves.read(sessionId));
  changeShelf(sessionId, () => EMPTY_SHELF);
  return known;
}

/** Finds what a shelf awaits. An image that nobody has a copy of is named, so that it can be added again. */
export async function fillShelf(sessionId: string): Promise<void> {
  const { awaited } = shelves.read(sessionId);
  const found = await Promise.all(awaited.map(async (image) => ({ image, source: await findSent(image) })));
  const held = found.flatMap(({ image, source }) => (source === undefined ? [] : [holdAgain(image, source)]));
  const lost = found.flatMap(({ image, source }) => (source === undefined ? [image.name || "an image"] : []));
  changeShelf(sessionId, (shelf) => {
    if (shelf.awaited !== awaited) return shelf;
    const refused = lost.length === 0 ? shelf.refused : `Add again what this browser did not keep: ${lost.join(", ")}.`;
    return { held: [...held, ...shelf.held], awaited: [], refused };
  });
}

/** It is sent again with its message: a server keeps what no message has for a while only, and for one conversation. */
function holdAgain(known: SentImage, source: File): HeldImage {
  return { key: nextKey(), name: known.name, preview: findPreview(known.reference) ?? "", source, known };
}

function listKnown({ held, awaited }: Shelf): readonly SentImage[] {
  return [...awaited, ...held.flatMap(({ known }) => known ?? [])];
}

function readSent(stored: string): readonly SentImage[] {
  return readList(parse(stored)).map((value) => {
    const { reference, mediaType, name } = readFields(value);
    return { reference: readText(reference), mediaType: readText(mediaType), name: readText(name) };
  });
}

function parse(stored: string): unknown {
  try {
    return JSON.parse(stored);
  } catch {
    return undefined;
  }
}
