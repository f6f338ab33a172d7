/** Why something was done, as a person would say it. Reasons come in the words of the log; most read well as they are. */
import { writeShare } from "./format.ts";

const ASKED: Readonly<Record<string, string>> = {
  "asked for": "somebody asked for it",
  "asked for anew": "somebody asked for it anew",
};

const FULL = /^(\d+) tokens of a (?:budget|window) of (\d+) is a ratio of .*$/;

export function sayReason(reason: string): string {
  const [, tokens, room] = FULL.exec(reason) ?? [];
  if (tokens !== undefined) return `${writeShare(Number(tokens) / Math.max(1, Number(room)))} of the room was used`;
  return ASKED[reason] ?? reason;
}

/** As a sentence; nothing where there is no reason. */
export function sayReasonWhole(reason: string): string {
  const said = sayReason(reason).replace(/\.$/, "");
  return said === "" ? "" : `${said.charAt(0).toUpperCase()}${said.slice(1)}.`;
}
