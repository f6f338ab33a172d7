/**
 * The facts that are stated once, in the first turns, and looked up after every compaction. Each is a natural sentence
 * and has a mark: its decisive words. In `cued` wording most sentences have a word that marks their kind, such as
 * "must" or "TODO"; in `ordinary` wording none has. A prompt has a fact if one of its lines has the mark. How a model
 * would use it is not measured.
 */
import { type SeededRandom, seededRandom } from "../../src/testing/seeded-random.ts";
import type { ChainTurn } from "./contestant.ts";

/** An open task names an identifier that is still in use; an idle identifier is mentioned once and never used. */
export const FACT_KINDS = ["identifier", "number", "constraint", "open task", "decision", "idle identifier"] as const;
export type PlantedKind = (typeof FACT_KINDS)[number];

export interface PlantedFact {
  readonly kind: PlantedKind;
  readonly sentence: string;
  readonly mark: string;
  /** A question that the sentence answers, without words that only the answer has. */
  readonly question: string;
}

const PEOPLE = ["Anna", "Omar", "Lena", "Paul", "Rosa", "Ivan", "Maya", "Hugo"];
const AREAS = ["ledger", "payroll", "archive", "warehouse", "mailing", "tariff", "roster", "permit"];
const ENGINES = ["PostgreSQL", "SQLite", "DuckDB", "Redis", "Kafka", "NATS"];
const PLACES = ["Lisbon", "Oslo", "Vienna", "Prague", "Dublin", "Turin"];

export type FactWording = "cued" | "ordinary";

/** Plants two facts of each kind. */
export function plantFacts(seed: number, wording: FactWording): readonly PlantedFact[] {
  const random = seededRandom(seed);
  const write = wording === "cued" ? CUED : ORDINARY;
  const areas = random.shuffle(AREAS);
  return [0, 1].flatMap((round) => {
    const [one, other] = [areas[2 * round] ?? "ledger", areas[2 * round + 1] ?? "payroll"];
    const identifier = write.identifier(random, one);
    return [
      { kind: "identifier", ...identifier },
      { kind: "number", ...write.number(random, other) },
      { kind: "constraint", ...write.constraint(random, one) },
      { kind: "open task", ...write.task(random, identifier.mark) },
      { kind: "decision", ...write.decision(random, one) },
      { kind: "idle identifier", ...write.identifier(random, other) },
    ];
  });
}

/** Words that mark a rule, a task or a decision in English. */
const CUE =
  /\b(?:must|never|always|should|shall|have to|has to|need(?:s|ed)? to|please|don't|do not|only|todo|to-do|open|pending|still|remember|important|decid\w+|decision|agreed|chose\w*|we will|we'll|let's|going to|going with|want\w*|prefer\w*|goal|plan\w*|deadline|due)\b/i;

export function hasCue({ sentence }: PlantedFact): boolean {
  return CUE.test(sentence);
}

type Statement = Omit<PlantedFact, "kind">;

type FactWriters = Readonly<Record<"identifier" | "number" | "constraint" | "task" | "decision", WriteFact>>;
/** Writes a statement about an area, or about the account of a task. */
type WriteFact = (random: SeededRandom, about: string) => Statement;

const CUED: FactWriters = {
  identifier(random, area) {
    const mark = anId(random, area);
    return { sentence: `The ${area} account is ${mark}.`, mark, question: `What is the ${area} account?` };
  },
  number(random, area) {
    const mark = anAmount(random);
    const question = `What is the limit of the budget for the ${area}?`;
    return { sentence: `The budget for the ${area} must not go above ${mark} euros.`, mark, question };
  },
  constraint(random, area) {
    const mark = `never restart the ${area} service from ${random.pick(PLACES)}`;
    return { sentence: `Please ${mark}.`, mark, question: `From where may I restart the ${area} service?` };
  },
  task(random, account) {
    const mark = `send the figures of ${account} to the auditors in ${random.pick(PLACES)}`;
    const question = `Who has to send the figures of ${account}?`;
    return { sentence: `TODO: ${random.pick(PEOPLE)} still has to ${mark}.`, mark, question };
  },
  decision(random, area) {
    const mark = `keep the ${area} data in ${random.pick(ENGINES)} ${10 + random.integer(9)}`;
    return { sentence: `We decided to ${mark}.`, mark, question: `Where do we keep the ${area} data?` };
  },
};

const ORDINARY: FactWriters = {
  identifier(random, area) {
    const mark = anId(random, area);
    return {
      sentence: `You reach the ${area} people through ${mark}.`,
      mark,
      question: `How do I reach the ${area} people?`,
    };
  },
  number(random, area) {
    const mark = anAmount(random);
    const question = `What did the ${area} come to last year?`;
    return { sentence: `Last year the ${area} came to ${mark} euros.`, mark, question };
  },
  constraint(random, area) {
    const mark = `${area} service was down for a day after a restart from ${random.pick(PLACES)}`;
    return { sentence: `The ${mark}.`, mark, question: `Why was the ${area} service down?` };
  },
  task(random, account) {
    const mark = `the figures of ${account} go to the auditors in ${random.pick(PLACES)}`;
    const question = `Where do the figures of ${account} go?`;
    return { sentence: `${random.pick(PEOPLE)} makes sure that ${mark}.`, mark, question };
  },
  decision(random, area) {
    const mark = `the ${area} data lives in ${random.pick(ENGINES)} ${10 + random.integer(9)}`;
    return { sentence: `These days ${mark}.`, mark, question: `Where does the ${area} data live?` };
  },
};

function anId(random: SeededRandom, area: string): string {
  return `${area}-${random.id().slice(0, 8)}`;
}

function anAmount(random: SeededRandom): string {
  return `${10 + random.integer(80)},${100 + random.integer(900)}`;
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

/** Returns true if a line has the words of the mark in their order, without articles, which summaries may leave out. */
export function containsFact(prompt: string, { mark }: PlantedFact): boolean {
  const words = plainWords(mark);
  return prompt.split("\n").some((line) => {
    const told = plainWords(line);
    return told.some((_, start) => words.every((word, place) => told[start + place] === word));
  });
}

const ARTICLE = /^(?:an?|the)$/;

function plainWords(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[^\s"']+/g) ?? [];
  return words
    .map((word) => word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ""))
    .filter((word) => !ARTICLE.test(word));
}
