/**
 * What is done when this process ends, however it ends: children are killed, folders removed. One listener does all of
 * it, because a run starts more processes than Node expects listeners.
 */
const works = new Set<() => void>();

/** Gives how to take it back, once it is not needed any more. */
export function atExit(work: () => void): () => void {
  if (works.size === 0) process.on("exit", runAll);
  works.add(work);
  return () => {
    works.delete(work);
    if (works.size === 0) process.off("exit", runAll);
  };
}

/** The newest first: a folder goes after the processes that use it. */
function runAll(): void {
  for (const work of [...works].reverse()) work();
}
