/** Answers without a model: a notice, then quotes with their message ids, or a sentence that nothing was found. */
import type { Message, MessageId } from "../message/message.ts";
import { takeHead, takeTail } from "../message/whole-text.ts";
import { extractFactsInSteps } from "../summary/facts/extract-facts.ts";
import { mergeFacets } from "../summary/facts/merge-facets.ts";
import { summarizeOfflineInSteps } from "../summary/offline/summarize-offline.ts";
import type { Fact } from "../summary/record/record.ts";
import { countTokens } from "../tokens/count-tokens.ts";
import { chooseQuotes, cutQuote, type Quote, type QuoteChoice } from "./choose-quotes.ts";
import { detectPhraseLanguage, isOwnAnswer, PHRASES, type Phrases } from "./phrases.ts";
import { rankPassages, rankPassagesInSteps } from "./rank-passages.ts";
import type { Passage } from "./read-passages.ts";
import type { Concept } from "./read-question.ts";
import { RecallIndex } from "./recall-index.ts";
import { recognizeRequest } from "./recognize-request.ts";

export interface OfflineAnswer {
  readonly text: string;
  /** Ids that the text cites, in order, each once. */
  readonly cited: readonly string[];
}

export interface OfflineMaterial {
  readonly question: string;
  /** Message with the question, which is never quoted as its own answer. */
  readonly questionId?: MessageId | undefined;
  /** Index of everything that may be quoted. */
  readonly index: RecallIndex;
  /** Whole conversation in order, for main points and decisions. */
  readonly messages: readonly Message[];
  readonly summary?: { readonly id: string; readonly text: string } | undefined;
  /** Approximate limit of the answer. */
  readonly budgetTokens: number;
}

/** Works in steps of a few milliseconds, so that the caller can yield to the event loop. */
export function* answerOfflineInSteps(material: OfflineMaterial): Generator<undefined, OfflineAnswer> {
  const question = takeQuestionEnds(material.question);
  const phrases = PHRASES[detectPhraseLanguage(question)];
  const body = yield* answerRequest({ ...material, question, phrases });
  const lines = [phrases.notice, "", body.lead, ...body.lines.map(({ text }) => text)];
  return { text: lines.join("\n").trimEnd(), cited: [...new Set(body.lines.flatMap(({ cited }) => cited))] };
}

/** In a long message the question is before or after pasted text. */
const MAX_END_CHARACTERS = 1_000;

function takeQuestionEnds(question: string): string {
  if (question.length <= 2 * MAX_END_CHARACTERS) return question;
  return `${takeHead(question, MAX_END_CHARACTERS)} ${takeTail(question, MAX_END_CHARACTERS)}`;
}

interface Task extends OfflineMaterial {
  readonly phrases: Phrases;
}

interface Body {
  readonly lead: string;
  readonly lines: readonly OfflineAnswer[];
}

function* answerRequest(task: Task): Generator<undefined, Body> {
  const { phrases, question } = task;
  const request = recognizeRequest(question);
  switch (request.type) {
    case "greeting":
    case "thanks":
    case "goodbye":
    case "capabilities":
      return { lead: phrases[request.type], lines: [] };
    case "summary":
      return yield* listMainPoints(task);
    case "decisions":
      return yield* listDecisions(task, request.about);
    case "who-said":
      return yield* answerWithSpeaker(task, request.about);
    case "statement":
      return yield* answerStatement(task);
    case "question":
      return yield* quoteAnswer(task);
    default:
      return request satisfies never;
  }
}

/** Maximum number of ranked sentences: enough to quote three messages, even if one message has many of them. */
const MAX_RANKED = 60;

interface ChosenQuotes {
  readonly choice: QuoteChoice;
  readonly concepts: readonly Concept[];
}

function* chooseFor(task: Task, question: string): Generator<undefined, ChosenQuotes> {
  const without = new Set(task.questionId === undefined ? [] : [task.questionId]);
  const ranking = yield* rankPassagesInSteps(task.index, question, { without, most: MAX_RANKED });
  const choice = chooseQuotes(ranking, { budgetTokens: availableTokens(task) });
  return { choice, concepts: ranking.concepts };
}

function* quoteAnswer(task: Task): Generator<undefined, Body> {
  const { phrases } = task;
  const { choice, concepts } = yield* chooseFor(task, task.question);
  if (choice.verdict === "nothing") return { lead: writeNothingFound(concepts, phrases), lines: [] };
  return { lead: phrases[choice.verdict], lines: quoteLines(choice.quotes, phrases) };
}

function* answerWithSpeaker(task: Task, about: string): Generator<undefined, Body> {
  const { phrases } = task;
  const { choice, concepts } = yield* chooseFor(task, about);
  const [first] = choice.quotes;
  if (first === undefined) return { lead: writeNothingFound(concepts, phrases), lines: [] };
  const lead = choice.verdict === "near" ? phrases.near : phrases.saidBy(speakerLabelOf(first.passage, phrases));
  return { lead, lines: quoteLines(choice.quotes, phrases) };
}

function* answerStatement(task: Task): Generator<undefined, Body> {
  const { phrases } = task;
  const { choice } = yield* chooseFor(task, task.question);
  return choice.verdict === "found"
    ? { lead: phrases.keptAndRelated, lines: quoteLines(choice.quotes, phrases) }
    : { lead: phrases.kept, lines: [] };
}

const MAX_WORDS_NAMED = 6;

function writeNothingFound(concepts: readonly Concept[], phrases: Phrases): string {
  const words = [...new Set(concepts.map(({ word }) => word))].slice(0, MAX_WORDS_NAMED);
  return words.length === 0 ? phrases.nothing : phrases.nothingAbout(words.join(" "));
}

function* listMainPoints(task: Task): Generator<undefined, Body> {
  const { phrases, summary, questionId } = task;
  if (summary !== undefined) {
    const lines = summary.text.split("\n").filter((line) => line.trim() !== "");
    return {
      lead: phrases.summary,
      lines: [
        ...keepWithinBudget(
          task,
          lines.map((text) => ({ text, cited: [] })),
        ),
        cite("", [summary.id]),
      ],
    };
  }
  const messages = task.messages.filter((message) => message.id !== questionId && !isOfflineAnswer(message));
  if (messages.length === 0) return { lead: phrases.nothingSaid, lines: [] };
  const told = yield* summarizeOfflineInSteps(messages, { budgetTokens: availableTokens(task), sparing: true });
  const lines = told.lines.map(({ text, messageIds }) => cite(text, messageIds.slice(0, MAX_IDS_OF_LINE)));
  return { lead: phrases.mainPoints, lines: keepWithinBudget(task, lines) };
}

const MAX_IDS_OF_LINE = 3;

function isOfflineAnswer({ role, parts: [part] }: Message): boolean {
  return role === "assistant" && part?.type === "text" && isOwnAnswer(part.text);
}

function* listDecisions(task: Task, about: string): Generator<undefined, Body> {
  const { phrases, questionId } = task;
  const messages = task.messages.filter((message) => message.id !== questionId && !isOfflineAnswer(message));
  const { sheet } = mergeFacets(undefined, yield* extractFactsInSteps(messages));
  const decisions = (sheet?.facts ?? []).filter(({ kind }) => kind === "decision");
  const fitting = about === "" ? decisions : rankFacts(decisions, about);
  if (fitting.length > 0) {
    const lines = fitting.slice(-MAX_DECISIONS).map(({ text, source }) => writeItem(writeQuote(text), [source]));
    return { lead: phrases.decisions, lines: keepWithinBudget(task, lines) };
  }
  // No decision was recognized, but a message may state one in other words.
  const body = about === "" ? undefined : yield* quoteAnswer({ ...task, question: about });
  return body === undefined || body.lines.length === 0
    ? { lead: phrases.noDecisions, lines: [] }
    : { lead: `${phrases.noDecisions} ${phrases.near}`, lines: body.lines };
}

const MAX_DECISIONS = 8;

/** Returns the matching decisions in the order of `chooseQuotes`. */
function rankFacts(facts: readonly Fact[], about: string): readonly Fact[] {
  const index = new RecallIndex();
  index.add(facts.map(({ text }, at) => ({ id: String(at), role: "user", parts: [{ type: "text", text }] })));
  const ranking = rankPassages(index, about, { most: MAX_RANKED });
  const { quotes } = chooseQuotes(ranking, { budgetTokens: Number.POSITIVE_INFINITY });
  return quotes.flatMap(({ passage }) => facts[Number(passage.source)] ?? []);
}

function quoteLines(quotes: readonly Quote[], phrases: Phrases): readonly OfflineAnswer[] {
  return quotes.map(({ text, passage }) => {
    const who = passage.saidBy === "file" ? "" : ` — ${speakerLabelOf(passage, phrases)}${dayTextOf(passage)}`;
    return writeItem(`${writeQuote(text)}${who}`, [passage.source]);
  });
}

function speakerLabelOf({ name, saidBy }: Passage, phrases: Phrases): string {
  return name ?? phrases.speakers[saidBy];
}

function dayTextOf({ saidAt }: Passage): string {
  if (saidAt === undefined || !Number.isFinite(saidAt) || Math.abs(saidAt) > LAST_INSTANT) return "";
  return `, ${new Date(saidAt).toISOString().slice(0, "2026-01-31".length)}`;
}

/** Largest time that `Date` supports. */
const LAST_INSTANT = 8.64e15;

function writeQuote(text: string): string {
  return `“${cutQuote(text)}”`;
}

function writeItem(text: string, ids: readonly string[]): OfflineAnswer {
  return cite(`- ${text}`, ids);
}

function cite(text: string, ids: readonly string[]): OfflineAnswer {
  return { text: [text, ...ids.map((id) => `[${id}]`)].join(" ").trim(), cited: ids };
}

/** Tokens of the notice and of the sentence before the quotes. */
const FRAME_TOKENS = 40;
const MIN_TOKENS = 40;

function availableTokens({ budgetTokens }: OfflineMaterial): number {
  return Math.max(MIN_TOKENS, budgetTokens - FRAME_TOKENS);
}

function keepWithinBudget(task: Task, lines: readonly OfflineAnswer[]): readonly OfflineAnswer[] {
  let room = availableTokens(task);
  return lines.filter(({ text }) => {
    const cost = countTokens(text);
    if (cost > room) return false;
    room -= cost;
    return true;
  });
}
