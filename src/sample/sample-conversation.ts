/**
 * The bundled sample: three people and an assistant with tools make an audio guide for a small museum, from the first
 * morning to the opening. `sample-conversation.json` holds it turn by turn; people, places, firms and figures are
 * invented. Its window is so small that the sample is compacted several times when it is played.
 */
import type { JsonObject, JsonValue } from "../core/message/json.ts";
import type { Message, ToolCallPart, ToolResultPart } from "../core/message/message.ts";
import script from "./sample-conversation.json" with { type: "json" };

interface ScriptCall {
  readonly tool: string;
  readonly input: JsonObject;
  /** A text or a structured value. */
  readonly output: JsonValue;
  readonly failed?: boolean;
}

/** Parallel calls, and the assistant's text before them. */
interface ScriptRound {
  readonly says?: string;
  readonly calls: readonly ScriptCall[];
}

interface ScriptTurn {
  /** UTC, to the minute. */
  readonly at: string;
  readonly who: string;
  readonly asks: string;
  readonly rounds?: readonly ScriptRound[];
  readonly answer: string;
}

/** The sample with its turns as messages: each has the question, rounds of tool calls, and the answer. */
export function readSample() {
  const turns: readonly ScriptTurn[] = script.turns;
  return { ...script, turns: turns.map(writeTurn) };
}

/** Time before the assistant's first action, and between two actions. */
const STEP_MS = 6_000;

function writeTurn({ at, who, asks, rounds = [], answer }: ScriptTurn, place: number): readonly Message[] {
  const id = `sample-${String(place + 1).padStart(2, "0")}`;
  const askedAt = Date.parse(`${at}:00Z`);
  const worked = rounds.flatMap((round, number) =>
    writeRound(round, `${id}-${number + 1}`, askedAt + (2 * number + 1) * STEP_MS),
  );
  const answeredAt = askedAt + (worked.length + 1) * STEP_MS;
  return [
    { id, role: "user", name: who, saidAt: askedAt, parts: [{ type: "text", text: asks }] },
    ...worked,
    { id: `${id}-answer`, role: "assistant", saidAt: answeredAt, parts: [{ type: "text", text: answer }] },
  ];
}

function writeRound({ says, calls }: ScriptRound, id: string, saidAt: number): readonly Message[] {
  const text = says === undefined ? [] : [{ type: "text" as const, text: says }];
  const callParts = calls.map(
    ({ tool, input }, place): ToolCallPart => ({ type: "tool-call", callId: `${id}-call-${place + 1}`, tool, input }),
  );
  const results = calls.map((call, place) => writeResult(call, `${id}-call-${place + 1}`));
  return [
    { id: `${id}-calls`, role: "assistant", saidAt, parts: [...text, ...callParts] },
    { id: `${id}-results`, role: "tool", saidAt: saidAt + STEP_MS, parts: results },
  ];
}

function writeResult({ tool, output, failed = false }: ScriptCall, callId: string): ToolResultPart {
  const given =
    typeof output === "string" ? { type: "text" as const, text: output } : { type: "json" as const, value: output };
  return { type: "tool-result", callId, tool, output: given, failed };
}
