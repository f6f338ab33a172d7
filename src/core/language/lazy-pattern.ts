/**
 * Patterns of one language are large, and most conversations are in another one. A lazy pattern is compiled when it is
 * used first.
 */
export type TextPattern = Pick<RegExp, "test" | "exec">;

export function lazyPattern(compile: () => RegExp): TextPattern {
  let pattern: RegExp | undefined;
  const compiled = (): RegExp => {
    pattern ??= compile();
    return pattern;
  };
  return { test: (text) => compiled().test(text), exec: (text) => compiled().exec(text) };
}
