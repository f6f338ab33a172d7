/**
 * Several laws of the same histories. `npm test` gives every property the same ones, so each is played once and judged
 * by all of its laws. A law that is broken is then played by itself, so that its history is made small for it alone.
 */
import fc from "fast-check";

export interface Together<History, Seen> {
  readonly histories: fc.Arbitrary<History>;
  /** Plays a history and shows the laws what there is to judge, as it happens. */
  readonly play: (history: History, judge: Judge<Seen>) => Promise<void>;
  readonly parameters: fc.Parameters<[History]>;
}

type Judge<Seen> = (seen: Seen) => Promise<void>;
/** Only looks: whoever asks the session for more is a law of another play, so that none is judged by what it left. */
type Law<Seen> = (seen: Seen) => void | Promise<void>;

/** Gives what a test does for a law; all of them are given before the first one runs. */
export function playTogether<History, Seen>({ histories, play, parameters }: Together<History, Seen>) {
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
