/**
 * Plays each history once and checks several laws on it, because in `npm test` every law gets the same histories. The
 * histories of a broken law are then played again for this law alone, to shrink the failing one.
 */
import fc from "fast-check";

export interface SharedPlay<History, Seen> {
  readonly histories: fc.Arbitrary<History>;
  /** Plays a history and passes its events to the laws. */
  readonly play: (history: History, judge: Judge<Seen>) => Promise<void>;
  readonly parameters: fc.Parameters<[History]>;
}

type Judge<Seen> = (seen: Seen) => Promise<void>;
/**
 * Checks a law and only reads the session: laws with other calls of their own need separate plays, so that they do not
 * affect the others.
 */
type Law<Seen> = (seen: Seen) => void | Promise<void>;

/** Returns a function that registers a law and returns its test; all laws are registered before the first test runs. */
export function playTogether<History, Seen>({ histories, play, parameters }: SharedPlay<History, Seen>) {
  const laws = new Set<Law<Seen>>();
  const broken = new Map<Law<Seen>, unknown>();
  const seed = fc.readConfigureGlobal()?.seed ?? Math.trunc(Math.random() * 2 ** 31);
  const assert = (tell: (history: History) => Promise<void>) =>
    fc.assert(fc.asyncProperty(histories, tell), { ...parameters, seed });
  const judgeAll: Judge<Seen> = async (seen) => {
    for (const law of laws) {
      if (broken.has(law)) continue;
      try {
        await law(seen);
      } catch (error) {
        broken.set(law, error);
      }
    }
  };
  let played: Promise<void> | undefined;
  const playAll = () =>
    assert((history) =>
      play(history, judgeAll).catch((error: unknown) => {
        for (const law of laws) broken.set(law, broken.get(law) ?? error);
      }),
    );
  return (law: Law<Seen>): (() => Promise<void>) => {
    laws.add(law);
    return async () => {
      played ??= playAll().catch((error: unknown) => {
        played = undefined;
        throw error;
      });
      await played;
      if (!broken.has(law)) return;
      await assert((history) => play(history, async (seen) => void (await law(seen))));
      throw broken.get(law);
    };
  };
}
