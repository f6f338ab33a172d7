/**
 * The note that stands for what was pruned, written and read back: what was there, how long it was, why it went, and how
 * to get it back. A host that keeps the messages of a prompt gives such notes back; they are no words of the tool's.
 */

export interface Placeholder {
  readonly what: string;
  /** True when some of it is shown below the note. */
  readonly isShortened: boolean;
  /** Why it is not needed; without it, to save room. */
  readonly why: string | undefined;
  readonly sizes: readonly string[];
  readonly messageId: string;
}

export function writePlaceholder({ what, isShortened, why, sizes, messageId }: Placeholder): string {
  const reason = why === undefined ? "to save room" : `because ${why}`;
  const went = `${what} ${isShortened ? "shortened" : "removed"} ${reason}`;
  return `[${went}: ${sizes.join(", ")}. Recall message ${messageId} to read it.]`;
}

const NOTE =
  /^\[(?:Output of|An image|An attached file)[^\n]{0,250} (?:removed to save room|shortened to save room|(?:removed|shortened) because message [^\n]{1,250}): \d{1,12} tokens[^\n]{0,150}\. Recall message [^\n]{1,250} to read it\.\](?:\n|$)/;
/** Longest placeholder of a prune. A longer text is the tool's own, whatever it begins with. */
const LONGEST_REST = 2_000;

/** The note at the beginning of a text and what stands below it. */
export function readPlaceholder(text: string): { readonly note: string; readonly rest: string } | undefined {
  const [found] = NOTE.exec(text) ?? [];
  if (found === undefined) return undefined;
  const rest = text.slice(found.length);
  const isOurs = rest.length <= LONGEST_REST && (rest !== "") === found.endsWith("\n");
  return isOurs ? { note: found.trimEnd(), rest } : undefined;
}
