/**
 * Measures how many claims of carefully written texts are called unsupported: each counts as a false alarm. The
 * comparison is a search for the exact words, of everything in the text that has a digit or looks like a name of code.
 */
import { verifySummary } from "../../src/core/summary/verify/verify-summary.ts";
import type { BenchValue } from "../bench.ts";
import type { Conversation, WrittenText } from "./conversations.ts";
import { roundShare } from "./subjects.ts";

export interface Alarm {
  readonly conversation: string;
  readonly label: string;
  readonly claim: string;
  readonly kind: string;
  readonly around: string;
}

interface AlarmCount {
  claims: number;
  alarms: number;
  texts: number;
  things: number;
  notExact: number;
}

export interface AlarmResult {
  readonly rows: readonly Readonly<Record<string, BenchValue>>[];
  readonly shares: Readonly<Record<string, number>>;
  readonly alarms: readonly Alarm[];
}

export function measureAlarms(conversations: readonly Conversation[], writing: WritingChoice): AlarmResult {
  const tallies = new Map<string, AlarmCount>();
  const alarms: Alarm[] = [];
  for (const conversation of conversations) {
    for (const { label, text } of conversation.written.filter(writing)) {
      const name = `${conversation.data} ${label}`;
      const tally = tallies.get(name) ?? { claims: 0, alarms: 0, texts: 0, things: 0, notExact: 0 };
      tallies.set(name, tally);
      const { claims, unsupported } = verifySummary(text, conversation.messages, { protectedFacts: [] });
      const things = text.match(THING) ?? [];
      tally.texts += 1;
      tally.claims += claims;
      tally.alarms += unsupported.length;
      tally.things += things.length;
      tally.notExact += things.filter((thing) => !conversation.sourceText.includes(thing)).length;
      for (const claim of unsupported) {
        const around = text.slice(Math.max(0, claim.start - 60), claim.end + 40).replaceAll("\n", " ");
        alarms.push({ conversation: conversation.name, label, claim: claim.text, kind: claim.kind, around });
      }
    }
  }
  return { rows: [...tallies].map(([name, tally]) => rowOf(name, tally)), shares: sharesOf(tallies), alarms };
}

export type WritingChoice = (written: WrittenText) => boolean;

/** Anything with a digit, or with a slash, underscore or capital letter inside. */
const THING = /(?<![\w/.-])(?:[\w./:%$,-]*\d[\w./:%,-]*\w|\d+|[\w.-]+\/[\w./-]+\w|\w+_\w+|[a-z]+[A-Z]\w*)/g;

function rowOf(
  name: string,
  { claims, alarms, texts, things, notExact }: AlarmCount,
): Readonly<Record<string, BenchValue>> {
  return {
    measure: "false alarms",
    case: `${name} (${texts} texts)`,
    cases: claims,
    found: roundShare(alarms, claims),
    exactSubstring: roundShare(notExact, things),
  };
}

function sharesOf(tallies: ReadonlyMap<string, AlarmCount>): Readonly<Record<string, number>> {
  return Object.fromEntries([...tallies].map(([name, { claims, alarms }]) => [name, roundShare(alarms, claims)]));
}
