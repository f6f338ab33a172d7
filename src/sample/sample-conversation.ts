/**
 * The bundled sample: three people and an assistant with tools make an audio guide for a small museum, from the first
 * morning to the opening. It is small enough to read and large enough to be compacted several times in its window.
 * People, places, firms and figures are invented. It is a value: nothing is called or stored, and the messages are
 * always the same.
 */
import type { Message, ToolCallPart, ToolResultPart } from "../core/message/message.ts";
import { BUDGET } from "./chapter-budget.ts";
import { BUILD } from "./chapter-build.ts";
import { OPENING } from "./chapter-opening.ts";
import { PHONES } from "./chapter-phones.ts";
import { RESEARCH } from "./chapter-research.ts";
import { ROOF } from "./chapter-roof.ts";
import type { ScriptCall, ScriptRound, ScriptTurn } from "./sample-script.ts";

export const SAMPLE_TITLE = "An audio guide for the glass museum";
export const SAMPLE_INSTRUCTIONS =
  "You help the glass museum in Glimvik to make an audio guide. Keep track of decisions, dates, costs and rules, and say where a figure comes from.";
/** Small enough that the sample is compacted several times when it is played turn by turn. */
export const SAMPLE_WINDOW_TOKENS = 6_000;
export const SAMPLE_RESERVE_TOKENS = 1_000;

/** One turn: the question, rounds of tool calls, and the answer. */
export type SampleTurn = readonly Message[];

const SCRIPT: readonly ScriptTurn[] = [...RESEARCH, ...BUDGET, ...ROOF, ...BUILD, ...PHONES, ...OPENING];

export function sampleTurns(): readonly SampleTurn[] {
  return SCRIPT.map(writeTurn);
}

const SECOND_MS = 1_000;
/** Time before the assistant's first action, and between two actions. */
const STEP_MS = 6 * SECOND_MS;

function writeTurn({ at, who, asks, rounds = [], answer }: ScriptTurn, place: number): SampleTurn {
  const id = `sample-${String(place + 1).padStart(2, "0")}`;
  const askedAt = Date.parse(`${at}:00Z`);
  const worked = rounds.flatMap((round, number) =>
    writeRound(round, { id: `${id}-${number + 1}`, saidAt: askedAt + (2 * number + 1) * STEP_MS }),
  );
  return [
    { id, role: "user", name: who, saidAt: askedAt, parts: [{ type: "text", text: asks }] },
    ...worked,
    {
      id: `${id}-answer`,
      role: "assistant",
      saidAt: askedAt + (worked.length + 1) * STEP_MS,
      parts: [{ type: "text", text: answer }],
    },
  ];
}

interface Placed {
  readonly id: string;
  readonly saidAt: number;
}

function writeRound({ says, calls }: ScriptRound, { id, saidAt }: Placed): readonly Message[] {
  const named = calls.map((call, place) => ({ ...call, callId: `${id}-call-${place + 1}` }));
  const said = says === undefined ? [] : [{ type: "text" as const, text: says }];
  return [
    { id: `${id}-calls`, role: "assistant", saidAt, parts: [...said, ...named.map(callPart)] },
    { id: `${id}-results`, role: "tool", saidAt: saidAt + STEP_MS, parts: named.map(resultPart) },
  ];
}

interface NamedCall extends ScriptCall {
  readonly callId: string;
}

function callPart({ callId, tool, input }: NamedCall): ToolCallPart {
  return { type: "tool-call", callId, tool, input };
}

function resultPart({ callId, tool, output, failed }: NamedCall): ToolResultPart {
  const given =
    typeof output === "string" ? { type: "text" as const, text: output } : { type: "json" as const, value: output };
  return { type: "tool-result", callId, tool, output: given, failed: failed === true };
}
