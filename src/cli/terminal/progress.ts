/** One line of progress on stderr, rewritten in place, for work that takes longer than a second. */
import type { Terminal } from "./terminal.ts";

const FIRST_MS = 1_000;
const NEXT_MS = 500;

export function createProgress(
  { rewrite }: Pick<Terminal, "rewrite">,
  describe: () => string,
): { readonly end: () => void } {
  if (rewrite === undefined) return { end: () => undefined };
  let isShown = false;
  const show = (): void => {
    isShown = true;
    rewrite(describe());
    timer = setTimeout(show, NEXT_MS).unref();
  };
  let timer = setTimeout(show, FIRST_MS).unref();
  return {
    end() {
      clearTimeout(timer);
      if (isShown) rewrite("");
    },
  };
}
