/**
 * Reads a conversation unit by unit and measures each gap between two units. Keeps only the last units, word counts and
 * a few sums, so the cost of a message depends on its length alone. A gap is final when enough text follows it.
 */
import type { Message } from "../message/message.ts";
import {
  blendUnits,
  cosineSimilarity,
  FEATURE_UNITS_AFTER,
  FEATURE_UNITS_BEFORE,
  type GapFeatures,
  gapFeatures,
  type TalkStatistics,
} from "./gap-features.ts";
import { addToUnit, createUnit, startsUnit, type TopicUnit, usesTools } from "./topic-unit.ts";
import { hasTrait } from "./turn-traits.ts";
import { findWorkEvidence, type WorkEvidence } from "./work-evidence.ts";

/** A gap, and the unit that begins after it. */
export interface GapReading extends Pick<TopicUnit, "index" | "cue" | "traits" | "words"> {
  readonly features: GapFeatures;
  /** Difference of the words on both sides, in standard deviations from the mean of this conversation. */
  readonly deviations: number;
  readonly work: WorkEvidence;
}

/** Number of terms on each side of a gap, and the maximum number of units that are searched for them. */
const TERMS_ON_A_SIDE = 30;
const UNITS_ON_A_SIDE = 12;
const MAX_KNOWN_TERMS = 50_000;
const HEAVIEST_TERM = 3;
const MAX_DEVIATIONS = 4;

/** Cached logarithms of 1 to 64, because every word of every gap needs one. */
const LOGARITHMS: readonly number[] = Array.from({ length: 64 }, (_, used) => Math.log(used + 1));

/** Mean, deviation and weight of the differences at gaps, assumed at the start of a conversation. */
const USUAL_CUT = 0.85;
const USUAL_DEVIATION = 0.1;
const USUAL_GAPS = 6;
/** The value of `service` assumed at first, with the weight of two turns. */
const FIRST_SERVICE = 0.6;
const FIRST_TURNS = 2;

/** Statistics of the changes of words at the gaps so far. */
interface CutHistory {
  readonly gaps: number;
  readonly sum: number;
  readonly squares: number;
}

const NO_CUTS: CutHistory = { gaps: USUAL_GAPS, sum: 0, squares: USUAL_GAPS * USUAL_DEVIATION ** 2 };

export class GapReader {
  readonly #uses = new Map<string, number>();
  #closed = 0;
  #talkUnits = 0;
  #service = FIRST_SERVICE;
  #lengths = 0;
  /** The newest units. The last one is still growing. */
  #units: readonly TopicUnit[] = [];
  /** Index in `#units` of the unit after the next gap. */
  #next = 1;
  #cuts: CutHistory = NO_CUTS;
  #count = 0;
  #before: Message | undefined;
  #usedTools = false;

  /** Number of units without tools so far. */
  get talkUnits(): number {
    return this.#talkUnits;
  }

  /** Returns the gaps that no further message can change. */
  add(message: Message): readonly GapReading[] {
    if (message.role === "user") this.#usedTools = false;
    const read = isPartOfTalk(message, this.#units) ? this.#take(message, this.#count) : [];
    this.#usedTools ||= usesTools(message);
    this.#before = message;
    this.#count += 1;
    return read;
  }

  /** Returns the gaps that are not final, as measured so far. */
  readOpen(): readonly GapReading[] {
    const readings: GapReading[] = [];
    let cuts = this.#cuts;
    for (let place = this.#next; place < this.#units.length; place += 1) {
      const reading = this.#readAt(place, cuts);
      if (reading === undefined) break;
      readings.push(reading.gap);
      cuts = reading.cuts;
    }
    return readings;
  }

  #take(message: Message, index: number): readonly GapReading[] {
    const last = this.#units.at(-1);
    if (last !== undefined && !startsUnit(message, { message: this.#before, usedTools: this.#usedTools })) {
      addToUnit(last, message);
      return [];
    }
    if (last !== undefined) this.#close(last);
    this.#units = [...this.#units, createUnit(message, index)];
    return this.#readSettled();
  }

  #close({ terms, tools, traits, words }: TopicUnit): void {
    this.#closed += 1;
    if (tools.size === 0) this.#talkUnits += 1;
    this.#lengths += Math.log1p(words);
    const [serves, offers] = [hasTrait(traits, "serves"), hasTrait(traits, "offers")];
    this.#service += serves + offers + 0.5 * (hasTrait(traits, "thanks") + hasTrait(traits, "welcomes"));
    for (const term of terms.keys()) {
      const known = this.#uses.get(term);
      if (known !== undefined || this.#uses.size < MAX_KNOWN_TERMS) this.#uses.set(term, (known ?? 0) + 1);
    }
  }

  #readSettled(): readonly GapReading[] {
    const readings: GapReading[] = [];
    while (this.#units.length - this.#next > Math.max(UNITS_ON_A_SIDE, FEATURE_UNITS_AFTER)) {
      const reading = this.#readAt(this.#next, this.#cuts);
      if (reading === undefined) break;
      readings.push(reading.gap);
      this.#cuts = reading.cuts;
      this.#next += 1;
    }
    const surplus = Math.max(0, this.#next - Math.max(UNITS_ON_A_SIDE, FEATURE_UNITS_BEFORE));
    this.#units = this.#units.slice(surplus);
    this.#next -= surplus;
    return readings;
  }

  #readAt(place: number, cuts: CutHistory): { readonly gap: GapReading; readonly cuts: CutHistory } | undefined {
    const [units, unit] = [this.#units, this.#units[place]];
    if (unit === undefined) return undefined;
    const talk = this.#talkSoFar();
    const cut = wideCut(units, place, talk);
    const known = addCut(cuts, cut);
    const { index, cue, traits, words } = unit;
    const gap = {
      index,
      features: gapFeatures({ units, place, talk }),
      deviations: deviationsOf(cut, known),
      cue,
      traits,
      words,
      work: findWorkEvidence(units, place),
    };
    return { gap, cuts: known };
  }

  #talkSoFar(): TalkStatistics {
    const [closed, uses, all] = [this.#closed, this.#uses, Math.log(this.#closed + 8)];
    return {
      service: this.#service / (closed + FIRST_TURNS),
      usualLength: this.#lengths / Math.max(1, closed),
      weigh: (term) => {
        const used = uses.get(term) ?? 0;
        return Math.min(HEAVIEST_TERM, all - (LOGARITHMS[used] ?? Math.log(used + 1)));
      },
    };
  }
}

/** Excludes instructions, and tool results before the first message. */
function isPartOfTalk({ role }: Message, units: readonly TopicUnit[]): boolean {
  return role === "user" || role === "assistant" || (role === "tool" && units.length > 0);
}

function wideCut(units: readonly TopicUnit[], place: number, { weigh }: TalkStatistics): number {
  const before = takeSide(units.slice(Math.max(0, place - UNITS_ON_A_SIDE), place).toReversed());
  const after = takeSide(units.slice(place, place + UNITS_ON_A_SIDE));
  return 1 - cosineSimilarity(blendUnits(before, termsIn), blendUnits(after, termsIn), weigh);
}

const termsIn = (unit: TopicUnit): ReadonlyMap<string, number> => unit.terms;

/** Returns the nearest units that together have enough terms. */
function takeSide(units: readonly TopicUnit[]): readonly TopicUnit[] {
  const taken: TopicUnit[] = [];
  let total = 0;
  for (const unit of units) {
    if (total >= TERMS_ON_A_SIDE) break;
    taken.push(unit);
    total += unit.terms.size;
  }
  return taken;
}

/** Sums distances from the usual value, because small numbers keep their precision when their squares are added. */
function addCut({ gaps, sum, squares }: CutHistory, cut: number): CutHistory {
  const distance = cut - USUAL_CUT;
  return { gaps: gaps + 1, sum: sum + distance, squares: squares + distance ** 2 };
}

function deviationsOf(cut: number, { gaps, sum, squares }: CutHistory): number {
  const mean = USUAL_CUT + sum / gaps;
  const deviation = Math.sqrt(Math.max(0.0004, squares / gaps - (sum / gaps) ** 2));
  return Math.max(-MAX_DEVIATIONS, Math.min(MAX_DEVIATIONS, (cut - mean) / deviation));
}
