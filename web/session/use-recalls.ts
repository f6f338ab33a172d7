/** Recalled passages of a conversation, their states, and the commands that change them. */
import { useMemo } from "react";
import { loadRecalls, NO_RECALLS, type RecalledBlock, type Recalls } from "../api/recalls.ts";
import type { Fate, PromptReport, Summary } from "../api/values.ts";
import { useLoaded } from "../hooks/use-loaded.ts";
import type { RecallActions } from "../ui/recalled-passages.tsx";
import type { Commands } from "./use-commands.ts";

export interface ShownRecalls {
  readonly blocks: Recalls["blocks"];
  /** Blocks that the next prompt has, oldest first. */
  readonly live: readonly RecalledBlock[];
  /** Seqs of the messages that the next prompt quotes. */
  readonly quotedSeqs: readonly number[];
  readonly actions: RecallActions;
}

export interface RecallsOptions {
  readonly version: number;
  readonly report: PromptReport | undefined;
  readonly summaries: readonly Summary[];
  readonly commands: Pick<Commands, "dismiss" | "pin">;
  readonly jump: (seq: number) => void;
}

const HIDDEN: ReadonlySet<Fate> = new Set<Fate>(["summarised", "truncated", "cleared"]);

export function useRecalls(sessionId: string, options: RecallsOptions): ShownRecalls {
  const { version, report, summaries, commands, jump } = options;
  const { value: recalls = NO_RECALLS } = useLoaded(`${sessionId} ${version}`, (signal) =>
    loadRecalls(sessionId, signal),
  );
  const { dismiss, pin } = commands;
  return useMemo(() => {
    const fateOf = (seq: number): Fate =>
      report?.plan.runs.find((run) => run.firstSeq <= seq && run.lastSeq >= seq)?.fate ?? "verbatim";
    const coveredSeq = Math.max(0, ...summaries.flatMap(({ isLive, coverage }) => (isLive ? [coverage.lastSeq] : [])));
    const isInPrompt = ({ afterSeq }: RecalledBlock) => afterSeq > coveredSeq && !HIDDEN.has(fateOf(afterSeq));
    const stateOf: RecallActions["stateOf"] = ({ sessionId: other, messageId, seq }) => {
      if (other !== undefined) return "quoted";
      if (recalls.dismissed.has(messageId)) return "dismissed";
      return fateOf(seq) === "pinned" ? "pinned" : "quoted";
    };
    const live = [...recalls.blocks.values()].filter(isInPrompt).toReversed();
    const quoted = live.flatMap(({ passages }) => passages.filter((passage) => stateOf(passage) === "quoted"));
    return {
      blocks: recalls.blocks,
      live,
      quotedSeqs: quoted.flatMap(({ seq, sessionId: other }) => (other === undefined ? seq : [])),
      actions: { dismiss, pin, jump, stateOf, isInPrompt },
    };
  }, [recalls, report, summaries, dismiss, pin, jump]);
}
