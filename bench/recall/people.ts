/**
 * Measures what a summary by code keeps of people's chats: for each question, the share of its answer's words that are
 * together in the text. Facts are questions of one step, of several steps and of general knowledge (categories 4, 1 and
 * 3), dates are those about time (category 2). All texts have the size of the observations that a large model wrote
 * about the same chat; the full history is the upper limit of this measure.
 */

import { summarizeOffline } from "../../src/core/summary/offline/summarize-offline.ts";
import { countTokens } from "../../src/core/tokens/count-tokens.ts";
import { seededRandom } from "../../src/testing/seeded-random.ts";
import type { BenchValue } from "../bench.ts";
import { mean } from "../shared/averages.ts";
import { CHOICES, pickLines } from "./pick-lines.ts";
import { type Chat, readLocomo } from "./read-locomo.ts";
import type { MeasureRecall } from "./recall-part.ts";
import { type ScoredQuestion, scoreAnswers, scoreWithinWords } from "./score-answers.ts";

export const ABOUT_TIME = 2;
const RANDOM_SEEDS = [1, 2, 3];
/** About two sentences of the observations, and twice as much. */
const WINDOW_WORDS = [30, 60];

export const measurePeople: MeasureRecall = async ({ dataFolder, quick }) => {
  const data = readLocomo(`${dataFolder}/locomo`);
  if (data === undefined) return undefined;
  const chats = quick ? data.chats.slice(0, 1) : data.chats;
  const contestants = new Map<string, Contestant>();
  for (const chat of chats) {
    for (const { name, texts } of textsOf(chat)) {
      const contestant: Contestant = contestants.get(name) ?? {
        tokens: 0,
        scored: [],
        byChat: new Map(),
        windows: new Map(),
      };
      const scored = texts.map((text) => scoreAnswers(text, chat.questions));
      contestant.tokens += mean(texts.map((text) => countTokens(text)));
      contestant.scored.push(...meanOf(scored));
      contestant.byChat.set(chat.name, meanOf(scored));
      for (const words of WINDOW_WORDS) {
        const within = texts.map((text) => scoreWithinWords(text, chat.questions, words));
        contestant.windows.set(words, [...(contestant.windows.get(words) ?? []), ...meanOf(within)]);
      }
      contestants.set(name, contestant);
    }
  }
  const ours = contestants.get(OURS)?.scored ?? [];
  const observed = contestants.get(OBSERVATIONS)?.scored ?? [];
  const [low, high] = marginOf(facts(ours), facts(observed));
  return {
    rows: [...contestants].map(([name, contestant]) => rowOf(name, contestant, chats.length)),
    figures: {
      peopleFacts: share(facts(ours)),
      peopleFactsOfObservations: share(facts(observed)),
      peopleFactsMarginLow: low,
      peopleFactsMarginHigh: high,
      peopleDates: share(dates(ours)),
    },
    notes: [
      `People: ${chats.length} chats, ${facts(ours).length} questions about facts, ${dates(ours).length} about dates. ` +
        "Sizes are estimated tokens, the same for all; the margin over the observations is a 95 % bootstrap interval of " +
        "the mean difference. Whole turns have a date line at the start of their session; pictures are described as text. " +
        "Our lines join the sentences of one speaker by semicolons and are longer than those of the observations; the " +
        "columns by words measure stretches of equal length.",
      ...data.notes,
    ],
  };
};

interface Contestant {
  tokens: number;
  readonly scored: ScoredQuestion[];
  readonly byChat: Map<string, readonly ScoredQuestion[]>;
  readonly windows: Map<number, readonly ScoredQuestion[]>;
}

const OURS = "ours";
const OBSERVATIONS = "observations (a model's)";

interface Texts {
  readonly name: string;
  /** One text, or several for a random baseline. */
  readonly texts: readonly string[];
}

function textsOf(chat: Chat): readonly Texts[] {
  const observations = chat.observations.join("\n");
  const sizeTokens = countTokens(observations);
  const turns = chat.sittings.flatMap(({ date, turns: sittingTurns }) =>
    sittingTurns.map(({ speaker, text }) => ({ line: `${speaker}: ${text}`, date })),
  );
  const write = (places: readonly number[]): string => writeTurns(places.flatMap((place) => turns[place] ?? []));
  const lines = turns.map(({ line }) => line);
  return [
    { name: OURS, texts: [summarizeOffline(chat.messages, { budgetTokens: sizeTokens }).text] },
    { name: OBSERVATIONS, texts: [observations] },
    { name: "session summaries (a model's)", texts: [chat.sessionSummaries.join("\n")] },
    ...CHOICES.map((choice) => ({
      name: choice,
      texts: (choice === "random" ? RANDOM_SEEDS : [1]).map((seed) =>
        write(pickLines(lines, choice, { sizeTokens: sizeTokens - dateTokens(chat), seed })),
      ),
    })),
    { name: "full history", texts: [write(turns.map((_, place) => place))] },
  ];
}

function dateTokens({ sittings }: Chat): number {
  return countTokens(sittings.map(({ date }) => date).join("\n"));
}

function writeTurns(turns: readonly { readonly line: string; readonly date: string }[]): string {
  return turns.flatMap(({ line, date }, index) => (turns[index - 1]?.date === date ? [line] : [date, line])).join("\n");
}

/** Averages over several texts, question by question. */
function meanOf(scored: readonly (readonly ScoredQuestion[])[]): readonly ScoredQuestion[] {
  const [first = []] = scored;
  return first.map(({ question }, place) => ({ question, share: mean(scored.map((each) => each[place]?.share ?? 0)) }));
}

function facts(scored: readonly ScoredQuestion[]): readonly ScoredQuestion[] {
  return scored.filter(({ question }) => question.category !== ABOUT_TIME);
}

function dates(scored: readonly ScoredQuestion[]): readonly ScoredQuestion[] {
  return scored.filter(({ question }) => question.category === ABOUT_TIME);
}

function share(scored: readonly ScoredQuestion[]): number {
  return mean(scored.map((each) => each.share));
}

function rowOf(
  name: string,
  { tokens, scored, byChat, windows }: Contestant,
  chats: number,
): Readonly<Record<string, BenchValue>> {
  const ofCategory = (category: number): number =>
    share(scored.filter(({ question }) => question.category === category));
  const perChat = [...byChat.values()].map((each) => share(facts(each)).toFixed(2)).join(" ");
  return {
    people: name,
    tokens: Math.round(tokens / chats),
    facts: share(facts(scored)),
    "single-hop": ofCategory(4),
    "multi-hop": ofCategory(1),
    open: ofCategory(3),
    dates: share(dates(scored)),
    ...Object.fromEntries([...windows].map(([words, each]) => [`facts in ${words} words`, share(facts(each))])),
    "facts by chat": perChat,
  };
}

const RESAMPLES = 1_000;

/** Returns the bootstrap interval of the mean difference, over questions. */
function marginOf(ours: readonly ScoredQuestion[], others: readonly ScoredQuestion[]): readonly [number, number] {
  const random = seededRandom(1);
  const differences = ours.map(({ share: own }, place) => own - (others[place]?.share ?? 0));
  if (differences.length === 0) return [0, 0];
  const means = Array.from({ length: RESAMPLES }, () => mean(differences.map(() => random.pick(differences))));
  means.sort((left, right) => left - right);
  return [means[Math.floor(RESAMPLES * 0.025)] ?? 0, means[Math.floor(RESAMPLES * 0.975)] ?? 0];
}
