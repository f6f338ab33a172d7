/**
 * Which changes of the past were taken back since. The log keeps a change and its undo as entries of their own; a redo
 * is the undo of an undo.
 */
interface Undo {
  readonly id: string;
  readonly undoes: string;
}

/** Newest first: an undo that was itself taken back counts for nothing, and what took it back stands behind it. */
export function findTakenBack(undos: readonly Undo[]): ReadonlySet<string> {
  const takenBack = new Set<string>();
  for (const { id, undoes } of undos) if (!takenBack.has(id)) takenBack.add(undoes);
  return takenBack;
}
