/**
 * Runs cleanups when this process ends in any way: kills children, removes folders. It uses one listener, because a run
 * starts more processes than Node expects listeners.
 */
const works = new Set<() => void>();

/** Returns a function that removes the cleanup. */
export function atExit(work: () => void): () => void {
  if (works.size === 0) process.on("exit", runAll);
  works.add(work);
  return () => {
    works.delete(work);
    if (works.size === 0) process.off("exit", runAll);
  };
}

/** Newest first: a folder is removed after the processes that use it. */
function runAll(): void {
  for (const work of [...works].reverse()) work();
}
