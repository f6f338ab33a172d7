/** Computes shares over all cuts of all sessions and of each half of the sessions, with bootstrap intervals. */
import { seededRandom } from "../../../src/testing/seeded-random.ts";
import type { RecallPart } from "../recall-part.ts";

export interface ShareCount {
  readonly contestant: string;
  readonly session: string;
  readonly atTokens: number;
  readonly needed: number;
  readonly anywhere: number;
  readonly byFile: number;
  readonly explained: number;
}

export interface ShareOptions {
  /** Cuts from here on are reported separately. */
  readonly longerFrom: number;
  readonly seed: number;
}

type MeasureName = "anywhere" | "byFile" | "explained";
type Figures = Pick<RecallPart, "rows" | "figures">;

const DRAWS = 1_000;
const OURS = "Palimpsest fit";

export function describeShares(tallies: readonly ShareCount[], { longerFrom, seed }: ShareOptions): Figures {
  const contestants = [...new Set(tallies.map(({ contestant }) => contestant))];
  const rows: RecallPart["rows"][number][] = [];
  const figures: Record<string, number> = {};
  for (const [from, label] of [
    [0, "32k"],
    [longerFrom, "64k"],
  ] as const) {
    for (const contestant of contestants) {
      const own = tallies.filter((tally) => tally.contestant === contestant && tally.atTokens >= from);
      rows.push({ part: "agents", contestant, from: label, ...shareColumns(own, seed) });
      if (contestant !== OURS) continue;
      figures[`agents.anywhere.${label}`] = round(shareOf(own, "anywhere"));
      figures[`agents.explained.${label}`] = round(shareOf(own, "explained"));
    }
  }
  return { rows, figures };
}

function shareColumns(own: readonly ShareCount[], seed: number): Readonly<Record<string, string | number>> {
  const sessions = [...new Set(own.map(({ session }) => session))];
  const half = (remainder: number): readonly ShareCount[] =>
    own.filter(({ session }) => sessions.indexOf(session) % 2 === remainder);
  const halves = (measured: MeasureName): string =>
    [0, 1].map((remainder) => shareOf(half(remainder), measured).toFixed(3)).join(" / ");
  return {
    names: own.reduce((sum, { needed }) => sum + needed, 0),
    anywhere: round(shareOf(own, "anywhere")),
    "anywhere 95 %": intervalOf(own, "anywhere", seed),
    "anywhere halves": halves("anywhere"),
    "by file name": round(shareOf(own, "byFile")),
    explained: round(shareOf(own, "explained")),
    "explained 95 %": intervalOf(own, "explained", seed),
    "explained halves": halves("explained"),
  };
}

function shareOf(tallies: readonly ShareCount[], measured: MeasureName): number {
  const needed = tallies.reduce((sum, tally) => sum + tally.needed, 0);
  return needed === 0 ? 1 : tallies.reduce((sum, tally) => sum + tally[measured], 0) / needed;
}

function intervalOf(tallies: readonly ShareCount[], measured: MeasureName, seed: number): string {
  const random = seededRandom(seed);
  const bySession = [...Map.groupBy(tallies, ({ session }) => session).values()].map((own) => ({
    needed: own.reduce((sum, { needed }) => sum + needed, 0),
    found: own.reduce((sum, tally) => sum + tally[measured], 0),
  }));
  if (bySession.length === 0) return "";
  const shares = Array.from({ length: DRAWS }, () => {
    const drawn = bySession.map(() => random.pick(bySession));
    return drawn.reduce((sum, { found }) => sum + found, 0) / drawn.reduce((sum, { needed }) => sum + needed, 0);
  }).sort((left, right) => left - right);
  const at = (share: number): string => (shares[Math.floor(share * (DRAWS - 1))] ?? 0).toFixed(3);
  return `${at(0.025)}–${at(0.975)}`;
}

function round(share: number): number {
  return Math.round(share * 1_000) / 1_000;
}
