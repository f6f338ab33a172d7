/**
 * The facts that are stated once, in the first turns, and looked up after every compaction. Each is a natural sentence
 * and has a mark: its decisive words. A prompt has a fact if it contains its mark, in any case and spacing. How a model
 * would use it is not measured.
 */
import { type SeededRandom, seededRandom } from "../../src/testing/seeded-random.ts";
import type { ChainTurn } from "./contestant.ts";

/** An open task names a live identifier; an idle one is mentioned once and never used. */
export const FACT_KINDS = ["identifier", "number", "constraint", "open task", "decision", "idle identifier"] as const;
export type PlantedKind = (typeof FACT_KINDS)[number];

export interface PlantedFact {
  readonly kind: PlantedKind;
  readonly sentence: string;
  readonly mark: string;
}

const PEOPLE = ["Anna", "Omar", "Lena", "Paul", "Rosa", "Ivan", "Maya", "Hugo"];
const AREAS = ["ledger", "payroll", "archive", "warehouse", "mailing", "tariff", "roster", "permit"];
const ENGINES = ["PostgreSQL", "SQLite", "DuckDB", "Redis", "Kafka", "NATS"];
const PLACES = ["Lisbon", "Oslo", "Vienna", "Prague", "Dublin", "Turin"];

/** Plants two facts of each kind. */
export function plantFacts(seed: number): readonly PlantedFact[] {
  const random = seededRandom(seed);
  const areas = random.shuffle(AREAS);
  return [0, 1].flatMap((round) => {
    const [one, other] = [areas[2 * round] ?? "ledger", areas[2 * round + 1] ?? "payroll"];
    const identifier = anIdentifier(random, { area: one, kind: "identifier" });
    return [
      identifier,
      aNumber(random, other),
      aConstraint(random, one),
      anOpenTask(random, identifier.mark),
      aDecision(random, one),
      anIdentifier(random, { area: other, kind: "idle identifier" }),
    ];
  });
}

function anIdentifier(
  random: SeededRandom,
  { area, kind }: { readonly area: string; readonly kind: "identifier" | "idle identifier" },
): PlantedFact {
  const mark = `${area}-${random.id().slice(0, 8)}`;
  return { kind, sentence: `The ${area} account is ${mark}.`, mark };
}

function aNumber(random: SeededRandom, area: string): PlantedFact {
  const mark = `${10 + random.integer(80)},${100 + random.integer(900)}`;
  return { kind: "number", sentence: `The budget for the ${area} must not go above ${mark} euros.`, mark };
}

function aConstraint(random: SeededRandom, area: string): PlantedFact {
  const mark = `never restart the ${area} service from ${random.pick(PLACES)}`;
  return { kind: "constraint", sentence: `Please ${mark}.`, mark };
}

function anOpenTask(random: SeededRandom, account: string): PlantedFact {
  const mark = `send the figures of ${account} to the auditors in ${random.pick(PLACES)}`;
  return { kind: "open task", sentence: `TODO: ${random.pick(PEOPLE)} still has to ${mark}.`, mark };
}

function aDecision(random: SeededRandom, area: string): PlantedFact {
  const mark = `keep the ${area} data in ${random.pick(ENGINES)} ${10 + random.integer(9)}`;
  return { kind: "decision", sentence: `We decided to ${mark}.`, mark };
}

/** The first turns of the conversation: one or two facts in each, stated by the user and acknowledged. */
export function turnsWithFacts(facts: readonly PlantedFact[]): readonly ChainTurn[] {
  const turns: ChainTurn[] = [];
  for (let place = 0; place < facts.length; place += 2) {
    const request = facts
      .slice(place, place + 2)
      .map(({ sentence }) => sentence)
      .join(" ");
    turns.push({ request, steps: [], answer: "Understood, I have noted it." });
  }
  return turns;
}

export function containsFact(prompt: string, { mark }: PlantedFact): boolean {
  return plain(prompt).includes(plain(mark));
}

function plain(text: string): string {
  return text.toLowerCase().replace(/\s+/g, " ");
}
