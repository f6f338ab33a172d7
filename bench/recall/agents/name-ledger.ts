/**
 * A simple list of names: each is ranked by how many messages contained it, with more weight for tool arguments than
 * for tool output, and less with every later message.
 */
import type { Message } from "../../../src/core/message/message.ts";
import { findNames } from "./find-names.ts";
import { argumentsOf, printMessage } from "./print-message.ts";

export interface NameLedger {
  add(message: Message): void;
  ranked(): readonly string[];
  /** The newest lines that may contain it, in order. */
  linesOf(name: string): readonly string[];
}

interface Use {
  score: number;
  at: number;
  readonly lines: string[];
}

const HALF_LIFE_MESSAGES = 150;
const GIVEN = 8;
const SAID = 4;
const MAX_LINES = 6;

export function createNameLedger(): NameLedger {
  const uses = new Map<string, Use>();
  let at = 0;
  const note = (name: string, weight: number): void => {
    const use = uses.get(name) ?? { score: 0, at, lines: [] };
    use.score = decayed(use, at) + weight;
    use.at = at;
    uses.set(name, use);
  };
  return {
    add(message) {
      at += 1;
      for (const part of message.parts) {
        if (part.type === "tool-call") for (const name of findNames(argumentsOf(part))) note(name, GIVEN);
        else {
          const text = printMessage({ ...message, parts: [part] }).join("\n");
          for (const name of findNames(text)) note(name, part.type === "text" ? SAID : 1);
        }
      }
      for (const line of printMessage(message)) {
        for (const name of findNames(line)) {
          const lines = uses.get(name)?.lines;
          lines?.push(line);
          if ((lines?.length ?? 0) > MAX_LINES) lines?.shift();
        }
      }
    },
    ranked: () =>
      [...uses]
        .map(([name, use]) => ({ name, score: decayed(use, at) }))
        .sort((left, right) => right.score - left.score)
        .map(({ name }) => name),
    linesOf: (name) => uses.get(name)?.lines ?? [],
  };
}

function decayed({ score, at }: Use, now: number): number {
  return score * 2 ** (-(now - at) / HALF_LIFE_MESSAGES);
}
