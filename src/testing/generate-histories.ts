/**
 * Generates conversations as plans that shrink turn by turn, written out with ids in order: `m0`, `m1`, `call-0`, ….
 * Well-formed histories follow the rules of strict providers: users and assistants alternate, every call is answered
 * before the next message, no text part is blank. Only the last turn may be unfinished.
 */
import fc from "fast-check";
import type { Message, Part, ReasoningPart, ToolCallPart, ToolResultPart } from "../core/message/message.ts";
import { BREAKAGES, type BreakageName } from "./break-history.ts";
import {
  fileParts,
  imageParts,
  reasoningParts,
  sourceParts,
  textParts,
  toolCallParts,
  toolResultParts,
  unknownParts,
} from "./generate-parts.ts";
import type { TextOptions } from "./generate-texts.ts";
import { maybeUndefined, weighted } from "./weighted.ts";

export interface HistoryOptions extends TextOptions {
  /** Maximum turns of a history. Long ones are rare. */
  readonly maxTurns?: number | undefined;
}

/**
 * Generates histories of which three in five are well-formed.
 *
 * @example
 * ```ts
 * fc.assert(fc.property(histories(), (messages) => messages.length >= 0));
 * ```
 */
export function histories(options: HistoryOptions = {}): fc.Arbitrary<readonly Message[]> {
  return weighted([
    [3, wellFormedHistories(options)],
    [2, brokenHistories(options)],
  ]);
}

/**
 * Generates histories that providers accept.
 *
 * @example
 * ```ts
 * fc.assert(fc.property(wellFormedHistories(), (messages) => messages.length >= 0));
 * ```
 */
export function wellFormedHistories(options: HistoryOptions = {}): fc.Arbitrary<readonly Message[]> {
  return plans(options).map(writeHistory);
}

/**
 * Generates histories that break the rules of providers.
 *
 * @example
 * ```ts
 * fc.assert(fc.property(brokenHistories(), (messages) => messages.length >= 0));
 * ```
 */
export function brokenHistories(options: HistoryOptions = {}): fc.Arbitrary<readonly Message[]> {
  return damagedHistories(options).map(({ messages }) => messages);
}

export interface DamagedHistory {
  readonly messages: readonly Message[];
  readonly damage: readonly BreakageName[];
}

/** Generates broken histories with the names of their breakages. */
export function damagedHistories(options: HistoryOptions = {}): fc.Arbitrary<DamagedHistory> {
  const blow = fc.tuple(fc.constantFrom(...BREAKAGES), fractions());
  return fc
    .tuple(wellFormedHistories(options), fc.array(blow, { minLength: 1, maxLength: 3, size: "max" }))
    .map(([history, blows]) => ({
      messages: blows.reduce((messages, [breakage, at]) => breakage.apply(messages, at), history),
      damage: blows.map(([breakage]) => breakage.name),
    }));
}

/** Generates places in a list of unknown length: at least 0 and below 1. */
export function fractions(): fc.Arbitrary<number> {
  return fc.nat({ max: 99 }).map((percent) => percent / 100);
}

interface HistoryPlan {
  readonly system: readonly Part[] | undefined;
  readonly greeting: readonly Part[] | undefined;
  readonly turns: readonly TurnPlan[];
  readonly end: "answered" | "asked" | "results" | "calls" | "some-results";
  readonly startedAt: number | undefined;
  readonly gapMs: number;
}

interface TurnPlan {
  readonly asked: readonly Part[];
  readonly name: string | undefined;
  readonly rounds: readonly RoundPlan[];
  readonly answer: readonly Part[];
}

interface RoundPlan {
  readonly lead: readonly Part[];
  readonly calls: readonly CallPlan[];
}

interface CallPlan {
  readonly thought: ReasoningPart | undefined;
  readonly call: ToolCallPart;
  readonly result: ToolResultPart;
  /** Answers come in order of rank; equal ranks in the order of the calls. */
  readonly rank: number;
  /** Whether the answer starts a new tool message. */
  readonly apart: boolean;
}

function plans({ maxTurns = 12, ...text }: HistoryOptions): fc.Arbitrary<HistoryPlan> {
  const turn = turnPlans(text);
  const upTo = (most: number) => fc.array(turn, { maxLength: Math.max(0, Math.min(most, maxTurns) - 1), size: "max" });
  const later = weighted([
    [14, upTo(3)],
    [12, upTo(6)],
    [6, upTo(maxTurns)],
  ]);
  return fc.record(
    {
      system: maybeUndefined(fc.tuple(textParts(text)), { chances: 1, outOf: 2 }),
      greeting: maybeUndefined(fc.tuple(textParts(text)), { chances: 1, outOf: 8 }),
      turns: fc
        .tuple(maxTurns > 0 ? maybeUndefined(turn, { chances: 20, outOf: 21 }) : fc.constant(undefined), later)
        .map(([first, others]) => (first === undefined ? others : [first, ...others])),
      end: weighted([
        [5, fc.constant("answered" as const)],
        [4, fc.constantFrom("asked", "results", "calls", "some-results")],
      ]),
      startedAt: maybeUndefined(fc.integer({ min: 1_600_000_000_000, max: 1_800_000_000_000 }), {
        chances: 1,
        outOf: 2,
      }),
      gapMs: fc.constantFrom(1_000, 1, 0, 3_600_000),
    },
    { noNullPrototype: true },
  );
}

function turnPlans(text: TextOptions): fc.Arbitrary<TurnPlan> {
  const round = roundPlans(text);
  const upTo = (most: number) => fc.array(round, { maxLength: most, size: "max" });
  const rounds = weighted([
    [8, upTo(1)],
    [2, upTo(4)],
  ]);
  return fc
    .tuple(
      askedParts(text),
      maybeUndefined(fc.constantFrom("ana", "bo"), { chances: 1, outOf: 15 }),
      rounds,
      answerParts(text),
    )
    .map(([asked, name, made, answer]) => ({ asked, name, rounds: made, answer }));
}

function askedParts(text: TextOptions): fc.Arbitrary<readonly Part[]> {
  const textPart = textParts(text);
  return weighted<readonly Part[]>([
    [16, fc.tuple(textPart)],
    [1, fc.tuple(textPart, textPart)],
    [1, fc.tuple(textPart, imageParts())],
    [1, fc.tuple(imageParts(), imageParts(), textPart)],
    [1, fc.tuple(imageParts())],
    [1, fc.tuple(fileParts(), textPart)],
    [1, fc.tuple(textPart, unknownParts())],
  ]);
}

function answerParts(text: TextOptions): fc.Arbitrary<readonly Part[]> {
  const textPart = textParts(text);
  return weighted<readonly Part[]>([
    [12, fc.tuple(textPart)],
    [3, fc.tuple(reasoningParts(), textPart)],
    [1, fc.tuple(textPart, sourceParts())],
    [1, fc.tuple(textPart, fileParts())],
    [1, fc.tuple(textPart, unknownParts())],
    [2, providerRunParts(text)],
  ]);
}

/** Generates a search by the provider: call and result are both in the assistant's message. */
function providerRunParts(text: TextOptions): fc.Arbitrary<readonly Part[]> {
  return fc
    .tuple(
      maybeUndefined(reasoningParts(), { chances: 1, outOf: 2 }),
      toolCallParts(),
      toolResultParts(text),
      textParts(text),
    )
    .map(([thought, call, result, lastText]) => [
      ...(thought === undefined ? [] : [thought]),
      { ...call, byProvider: true },
      { ...result, byProvider: true },
      lastText,
    ]);
}

function roundPlans(text: TextOptions): fc.Arbitrary<RoundPlan> {
  const call = fc
    .tuple(
      maybeUndefined(reasoningParts(), { chances: 1, outOf: 6 }),
      toolCallParts(),
      toolResultParts(text),
      fc.nat({ max: 3 }),
      fc.nat({ max: 2 }),
    )
    .map(([thought, made, result, rank, apart]) => ({ thought, call: made, result, rank, apart: apart === 2 }));
  const lead = weighted<readonly Part[]>([
    [4, fc.constant([])],
    [3, fc.tuple(textParts(text))],
    [2, fc.tuple(reasoningParts())],
    [1, fc.tuple(reasoningParts(), textParts(text))],
    [1, providerRunParts(text)],
  ]);
  const calls = weighted([
    [3, fc.tuple(call)],
    [2, fc.array(call, { minLength: 1, maxLength: 4, size: "max" })],
  ]);
  return fc.tuple(lead, calls).map(([before, made]) => ({ lead: before, calls: made }));
}

type Draft = Omit<Message, "id">;

function writeHistory(plan: HistoryPlan): readonly Message[] {
  const drafts = [
    ...(plan.system === undefined ? [] : [{ role: "system", parts: plan.system } as const]),
    ...(plan.greeting === undefined ? [] : [{ role: "assistant", parts: plan.greeting } as const]),
    ...joinCalls(plan.turns).flatMap((turn, index) =>
      writeTurn(turn, index === plan.turns.length - 1 ? plan.end : "answered"),
    ),
  ];
  return drafts.map((draft, index) => ({
    id: `m${index}`,
    ...draft,
    ...(plan.startedAt === undefined ? {} : { saidAt: plan.startedAt + index * plan.gapMs }),
  }));
}

function writeTurn(turn: TurnPlan, end: HistoryPlan["end"]): readonly Draft[] {
  const asked: Draft = { role: "user", parts: turn.asked, ...(turn.name === undefined ? {} : { name: turn.name }) };
  const answer: Draft = { role: "assistant", parts: turn.answer };
  const rounds = turn.rounds.map((round) => [writeCalls(round), ...writeAnswers(round)]);
  const last = turn.rounds.at(-1);
  switch (end) {
    case "answered":
      return [asked, ...rounds.flat(), answer];
    case "asked":
      return [asked];
    case "results":
      return [asked, ...rounds.flat()];
    case "calls":
      return [asked, ...rounds.slice(0, -1).flat(), ...(last === undefined ? [] : [writeCalls(last)])];
    case "some-results":
      return [
        asked,
        ...rounds.slice(0, -1).flat(),
        ...(last === undefined ? [] : [writeCalls(last), ...writeSomeAnswers(last)]),
      ];
    default:
      return end satisfies never;
  }
}

function writeCalls(round: RoundPlan): Draft {
  const calls = round.calls.flatMap(({ thought, call }) => (thought === undefined ? [call] : [thought, call]));
  return { role: "assistant", parts: [...round.lead, ...calls] };
}

function writeAnswers(round: RoundPlan): readonly Draft[] {
  const groups: ToolResultPart[][] = [];
  for (const { result, apart } of round.calls.toSorted((left, right) => left.rank - right.rank)) {
    const open = groups.at(-1);
    if (open === undefined || apart) groups.push([result]);
    else open.push(result);
  }
  return groups.map((parts) => ({ role: "tool", parts }));
}

/** Returns all answers but the last one, so that a round of parallel calls is unfinished. */
function writeSomeAnswers(round: RoundPlan): readonly Draft[] {
  const drafts = writeAnswers(round);
  const shortened = drafts.map((draft, index) =>
    index === drafts.length - 1 ? { ...draft, parts: draft.parts.slice(0, -1) } : draft,
  );
  return shortened.filter((draft) => draft.parts.length > 0);
}

/** Gives each call and its result the same id, counted over the whole history. */
function joinCalls(turns: readonly TurnPlan[]): readonly TurnPlan[] {
  let count = 0;
  const nextId = (): string => `call-${count++}`;
  return turns.map((turn) => ({
    ...turn,
    rounds: turn.rounds.map(({ lead, calls }) => ({
      lead: joinProviderRun(lead, nextId),
      calls: calls.map((plan) => joinCall(plan, nextId())),
    })),
    answer: joinProviderRun(turn.answer, nextId),
  }));
}

function joinCall(plan: CallPlan, callId: string): CallPlan {
  return { ...plan, call: { ...plan.call, callId }, result: { ...plan.result, callId } };
}

function joinProviderRun(parts: readonly Part[], nextId: () => string): readonly Part[] {
  let callId = "";
  return parts.map((part) => {
    if (part.type === "tool-call") callId = nextId();
    return part.type === "tool-call" || part.type === "tool-result" ? { ...part, callId } : part;
  });
}
