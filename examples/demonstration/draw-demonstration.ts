/** Draws the facts of a demonstration as a page for a plain terminal of 80 columns. Uses colors only on request. */
import { stripVTControlCharacters, styleText } from "node:util";
import type { Demonstration, RequestFacts } from "./run-demonstration.ts";

const WIDTH = 79;
const BAR_WIDTH = 48;

interface FateSign {
  readonly character: string;
  readonly color: Parameters<typeof styleText>[0];
  readonly meaning: string;
}

const FATE_SIGNS: Readonly<Record<string, FateSign>> = {
  verbatim: { character: "█", color: "green", meaning: "unchanged" },
  cut: { character: "▓", color: "yellow", meaning: "cut in the middle" },
  pruned: { character: "▒", color: "cyan", meaning: "output replaced by a line" },
  summarised: { character: "░", color: "gray", meaning: "covered by a summary" },
  truncated: { character: "·", color: "gray", meaning: "not shown, kept in the log" },
  pinned: { character: "◆", color: "magenta", meaning: "pinned" },
};

/** Applies a style to a text, or returns it unchanged. */
export type Paint = (style: Parameters<typeof styleText>[0], text: string) => string;

export const paintNothing: Paint = (_style, text) => text;
export const paintColors: Paint = (style, text) => styleText(style, text, { validateStream: false });

export function drawDemonstration(facts: Demonstration, paint: Paint): string {
  const blocks = [
    drawOpening(facts, paint),
    drawRequests(facts, paint),
    drawChanges(facts, paint),
    drawReplacements(facts, paint),
    drawForgotten(facts, paint),
    drawLastPrompt(facts, paint),
    drawTotals(facts),
  ];
  return `${blocks.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

function drawOpening({ messageCount, messageTokens, budgetTokens }: Demonstration, paint: Paint): readonly string[] {
  const text =
    `An agent fixes a build: ${messageCount} messages, ${figure(messageTokens)} tokens. A prompt may have ` +
    `${figure(budgetTokens)}, so older messages have to make room. No model is called: the replies were ` +
    "written beforehand, and each prompt is what a model would get.";
  return [paint("bold", "Palimpsest: what a model sees of a conversation that outgrows its budget"), "", ...wrap(text)];
}

function drawRequests({ requests }: Demonstration, paint: Paint): readonly string[] {
  const asked = requests.flatMap((request, index) => (request.newestRole === "user" ? [index] : []));
  const rows = asked.map((index, turn) => {
    const start = (asked[turn - 1] ?? -1) + 1;
    const isMoved = requests.slice(start, index + 1).some(({ compaction }) => compaction !== undefined);
    return drawRow(requests[index], { turn: turn + 1, isMoved, paint });
  });
  const legend = Object.values(FATE_SIGNS).map(
    ({ character, color, meaning }) => `${paint(color, character)} ${meaning}`,
  );
  return [
    ...wrap("One line for each user message, one character for each message in the log, oldest first:"),
    "",
    paint("dim", `turn  ${"what the model sees".padEnd(62)}  tokens`),
    ...rows,
    "",
    ...fill([...legend, "* compacted since the line above"], "   "),
  ];
}

interface RowOptions {
  readonly turn: number;
  readonly isMoved: boolean;
  readonly paint: Paint;
}

function drawRow(request: RequestFacts | undefined, { turn, isMoved, paint }: RowOptions): string {
  if (request === undefined) return "";
  const { fates, tokens } = request;
  const padding = " ".repeat(Math.max(0, 62 - fates.length));
  return `${String(turn).padStart(4)}  ${drawStrip(fates, paint)}${padding}  ${figure(tokens).padStart(6)}${isMoved ? " *" : ""}`;
}

function drawStrip(fates: readonly string[], paint: Paint): string {
  return fates
    .map((fate) => {
      const sign = FATE_SIGNS[fate];
      return sign === undefined ? "?" : paint(sign.color, sign.character);
    })
    .join("");
}

function drawChanges({ requests }: Demonstration, paint: Paint): readonly string[] {
  const rows = requests.flatMap(({ newestId, compaction }) => {
    if (compaction === undefined) return [];
    const { steps, tokensBefore, tokensAfter, reason } = compaction;
    const sizes = `${figure(tokensBefore)} → ${figure(tokensAfter)} tokens`;
    return hang(`  after ${newestId.padEnd(4)} ${sizes.padEnd(22)} `, `${steps.join(", ")} (${reason})`);
  });
  return [paint("bold", "Compactions, and why"), ...rows];
}

function drawReplacements({ replacements }: Demonstration, paint: Paint): readonly string[] {
  const shown = replacements.flatMap(({ messageId, fate, reason, text }) => [
    ...wrap(`${messageId}, ${fate}: ${reason}`, "  "),
    ...wrap(aroundMarker(text), "      ").map((line) => paint("dim", line)),
  ]);
  return [paint("bold", "What the model reads instead (the first of each kind)"), ...shown];
}

/** Returns the part of a long text around the place where its middle was cut out. */
function aroundMarker(text: string): string {
  const at = text.indexOf("[…");
  if (at < 0 || text.length < 240) return text;
  return `… ${text.slice(Math.max(0, at - 90), at + 120)} …`.replaceAll("\n", " ");
}

function drawForgotten({ forgotten }: Demonstration, paint: Paint): readonly string[] {
  const intro =
    `The last question is which Node version the program supports. ${forgotten.messageId}, at the beginning, ` +
    "has the answer:";
  const steps = forgotten.steps.flatMap(({ verb, outcome }) => hang(`  ${verb.padEnd(18)} `, outcome));
  return [
    paint("bold", "Where is the answer now?"),
    ...wrap(intro),
    ...steps,
    ...wrap("While it is pinned, the model sees:"),
    `  ${drawStrip(forgotten.fatesWhilePinned, paint)}`,
  ];
}

function drawLastPrompt({ lastPrompt, budgetTokens, counter }: Demonstration, paint: Paint): readonly string[] {
  const filled = Math.round((lastPrompt.tokens / budgetTokens) * BAR_WIDTH);
  const bar = `${paint("green", "█".repeat(filled))}${paint("gray", "·".repeat(BAR_WIDTH - filled))}`;
  const sections = lastPrompt.sections.map(({ name, tokens }) => `${name} ${figure(tokens)}`).join(", ");
  return [
    paint("bold", "The last prompt"),
    `  ${bar}  ${figure(lastPrompt.tokens)} of ${figure(budgetTokens)} tokens`,
    `  ${sections}`,
    `  counted with ${counter}`,
  ];
}

function drawTotals({ requests, lastPrompt, storedMessages, messageCount }: Demonstration): readonly string[] {
  const later = requests.slice(1);
  const extending = later.filter(({ extendsLast }) => extendsLast).length;
  const largest = Math.max(lastPrompt.tokens, ...requests.map(({ tokens }) => tokens));
  return wrap(
    `${requests.length} prompts, none above ${figure(largest)} tokens. ${extending} of ${later.length} begin with the ` +
      "whole previous prompt, so that a provider's cache can be used; the others say which section moved, and why. " +
      `${storedMessages} of ${messageCount} messages are in the log, word for word.`,
  );
}

function figure(value: number): string {
  return value.toLocaleString("en-US");
}

/** Returns lines of at most the page's width, broken between words. */
function wrap(text: string, indent = ""): readonly string[] {
  return fill(text.split(/\s+/), " ", indent);
}

/** Places a text next to its label, with all its lines in one column. */
function hang(label: string, text: string): readonly string[] {
  const [first = "", ...rest] = wrap(text, " ".repeat(label.length));
  return [`${label}${first.trimStart()}`, ...rest];
}

function fill(pieces: readonly string[], gap: string, indent = ""): readonly string[] {
  const lines: string[] = [];
  for (const piece of pieces) {
    const last = lines.at(-1);
    const joined = `${last}${gap}${piece}`;
    if (last !== undefined && visibleLength(joined) <= WIDTH) lines[lines.length - 1] = joined;
    else lines.push(`${indent}${piece}`);
  }
  return lines;
}

function visibleLength(text: string): number {
  return stripVTControlCharacters(text).length;
}
