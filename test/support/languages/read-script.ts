/**
 * Conversations from scripts, one line for each turn: `Name: text` for people, `U:`, `A:` and `T: tool|input|output`
 * for work. Text between braces is planted: a summary that keeps the turn has to keep it.
 */
import type { Message } from "../../../src/core/message/message.ts";
import { messageBuilder } from "../../../src/testing/builders.ts";

export interface LanguageScript {
  readonly messages: readonly Message[];
  /** The planted texts, one list for each turn that contains some. */
  readonly facts: readonly (readonly string[])[];
}

const STARTED_AT = Date.UTC(2024, 2, 4, 9);
const TURN_MS = 90_000;

export function readTalk(script: string): LanguageScript {
  const { aUserMessage } = messageBuilder();
  const turns = linesOf(script);
  const messages = turns.map((turn, index) => {
    const [name = "", said = ""] = cutAt(turn, ": ");
    return aUserMessage(bare(said), { name, saidAt: STARTED_AT + index * TURN_MS });
  });
  return { messages, facts: factsOf(turns) };
}

export function readWork(script: string): LanguageScript {
  const { aUserMessage, anAssistantMessage, aRound } = messageBuilder();
  const turns = linesOf(script);
  const messages = turns.flatMap((turn, index) => {
    const [role = "", said = ""] = cutAt(turn, ": ");
    const overrides = { saidAt: STARTED_AT + index * TURN_MS };
    if (role === "U") return [aUserMessage(bare(said), overrides)];
    if (role === "A") return [anAssistantMessage(bare(said), overrides)];
    const [tool = "", argument = "", output = ""] = said.split("|");
    const round = aRound([
      { callId: `call-${index}`, tool, input: { [tool === "run" ? "command" : "path"]: argument }, output },
    ]);
    return round.map((message) => ({ ...message, ...overrides }));
  });
  return { messages, facts: factsOf(turns) };
}

function linesOf(script: string): readonly string[] {
  return script.trim().split("\n");
}

function cutAt(line: string, mark: string): readonly string[] {
  const place = line.indexOf(mark);
  return [line.slice(0, place), line.slice(place + mark.length)];
}

function bare(said: string): string {
  return said.replaceAll(/[{}]/g, "");
}

function factsOf(turns: readonly string[]): readonly (readonly string[])[] {
  return turns
    .map((turn) => [...turn.matchAll(/\{([^}]*)\}/g)].map(([, needle = ""]) => needle))
    .filter((needles) => needles.length > 0);
}
