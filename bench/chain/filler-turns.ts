/**
 * The long middle of a conversation, generated from a seed: an agent at work (requests, reads, searches, test runs and
 * their output) or people talking. As in real conversations, there are hundreds of paths and numbers, small
 * decisions, and tasks that are started and finished. It never repeats a planted fact.
 */
import { type SeededRandom, seededRandom } from "../../src/testing/seeded-random.ts";
import type { ChainStep, ChainTurn } from "./contestant.ts";

export type FillerKind = "agent" | "chat";

export const FILLER_TOOLS = ["show_source", "search_code", "run_tests", "change_source"] as const;

const PARTS = ["parser", "router", "editor", "billing", "search", "upload", "session", "export", "cache", "mobile"];
const THINGS = ["index", "queue", "filter", "report", "worker", "schema", "token", "view", "hook", "batch"];
const VERBS = ["rename", "split", "move", "simplify", "cache", "measure", "log", "retry", "validate", "document"];
const SUBJECTS = [
  "the garden",
  "the move",
  "the holiday",
  "the school play",
  "the old bicycle",
  "the bakery",
  "the choir",
];
const FEELINGS = ["took longer than we thought", "went better than last year", "was a pleasure", "kept us busy"];
const PASTIMES = ["reading", "walking by the river", "cooking for friends", "fixing things", "listening to records"];

export function* fillerTurns(kind: FillerKind, seed: number): Generator<ChainTurn, never> {
  const random = seededRandom(seed);
  for (let number = 0; ; number += 1) yield kind === "agent" ? agentTurn(random, number) : chatTurn(random, number);
}

function agentTurn(random: SeededRandom, number: number): ChainTurn {
  const [part, thing, verb] = [random.pick(PARTS), random.pick(THINGS), random.pick(VERBS)];
  const steps = Array.from({ length: 1 + random.integer(4) }, (_, step) => agentStep(random, { part, thing, step }));
  const extra = random.integer(6);
  const request = `Can you ${verb} the ${thing} in the ${part}? It is in src/${part}/${thing}-${number}.ts.`;
  return {
    request: extra === 0 ? `${request} Do it like the ${random.pick(THINGS)}.` : request,
    steps,
    answer: answer(),
  };

  function answer(): string {
    const done = `Done: the ${thing} in the ${part} is changed, ${20 + random.integer(200)} tests pass.`;
    return extra === 1 ? `${done} I went for a ${random.pick(THINGS)} of ${2 + random.integer(60)} entries.` : done;
  }
}

interface Work {
  readonly part: string;
  readonly thing: string;
  readonly step: number;
}

function agentStep(random: SeededRandom, { part, thing, step }: Work): ChainStep {
  const tool = step === 0 ? "show_source" : random.pick(FILLER_TOOLS);
  const path = `src/${part}/${thing}-${random.integer(900)}.ts`;
  const remark = `Looking at the ${thing} now.`;
  switch (tool) {
    case "show_source":
      return { remark, tool, input: { path }, output: codeLines(random, 12 + random.integer(30)) };
    case "search_code":
      return { remark, tool, input: { query: `${thing}${part}` }, output: hitLines(random, 6 + random.integer(12)) };
    case "run_tests":
      return { remark, tool, input: { pattern: `${part}/*` }, output: testLines(random, part) };
    case "change_source":
      return { remark, tool, input: { path, find: thing, replace: `${thing}s` }, output: `edited ${path}` };
    default:
      return tool satisfies never;
  }
}

function codeLines(random: SeededRandom, count: number): string {
  return Array.from({ length: count }, (_, line) => {
    const name = `${random.pick(VERBS)}${random.pick(THINGS)}${random.integer(90)}`;
    return `${line + 1}  export const ${name} = (${random.pick(THINGS)}) => ${random.pick(PARTS)}.${name}(${random.integer(9_000)});`;
  }).join("\n");
}

function hitLines(random: SeededRandom, count: number): string {
  return Array.from({ length: count }, () => {
    const place = `src/${random.pick(PARTS)}/${random.pick(THINGS)}-${random.integer(900)}.ts:${random.integer(400)}`;
    return `${place}: ${random.pick(VERBS)} ${random.pick(THINGS)}`;
  }).join("\n");
}

function testLines(random: SeededRandom, part: string): string {
  const lines = Array.from(
    { length: 8 + random.integer(10) },
    () => `ok ${part} can ${random.pick(VERBS)} its ${random.pick(THINGS)} (${random.integer(90)} ms)`,
  );
  return [...lines, `tests ${100 + random.integer(90)} passed`, "exit code 0"].join("\n");
}

function chatTurn(random: SeededRandom, number: number): ChainTurn {
  const subject = random.pick(SUBJECTS);
  const request = `${writeStory(random, subject)} What would you do about ${subject}, number ${number} on my list?`;
  const answer = `${writeStory(random, random.pick(SUBJECTS))} I would take ${1 + random.integer(12)} days for ${subject} and see.`;
  return { request, steps: [], answer };
}

function writeStory(random: SeededRandom, subject: string): string {
  return Array.from({ length: 5 + random.integer(6) }, () => {
    const [feeling, pastime] = [random.pick(FEELINGS), random.pick(PASTIMES)];
    return `In ${1990 + random.integer(30)} ${subject} ${feeling}, and ${pastime} cost us ${random.integer(300)} hours.`;
  }).join(" ");
}
