/** Reactions to events of the session: notices about compactions, a disabled composer, a topic hint, and refreshes. */
import { useCallback, useEffect, useRef, useState } from "react";
import { type Fields, readFields, readList, readNumber, readText } from "../../src/client/fields.ts";
import { loadRules } from "../api/settings.ts";
import { STREAM_START } from "../api/shared-stream.ts";
import { useDebouncedCall } from "../hooks/limit-calls.ts";
import { useEvents } from "../hooks/use-events.ts";
import { useLoaded } from "../hooks/use-loaded.ts";
import { useRefreshTicks } from "../hooks/use-refresh-ticks.ts";
import { formatNumber } from "../ui/format.ts";
import type { Notices } from "../ui/notices.tsx";
import { type TopicHint, useTopicHint } from "./topic-hint.tsx";
import { useFoldProgress } from "./use-fold-progress.ts";
import type { Transcript } from "./use-transcript.ts";

export interface SessionEvents {
  /** Why the composer is disabled; undefined if it is enabled. */
  readonly blocked: string | undefined;
  readonly hint: TopicHint;
}

export interface SessionEventsOptions {
  readonly sessionId: string;
  readonly transcript: Transcript;
  readonly notices: Notices;
  readonly isRunning: boolean;
  readonly messageCount: number;
  /** The server's reason if the context window is full. */
  readonly fullReason: string | undefined;
}

export function useSessionEvents(options: SessionEventsOptions): SessionEvents {
  const { sessionId, transcript, notices, isRunning, messageCount, fullReason } = options;
  const onCompaction = useCompactionNotices(notices);
  const onFoldProgress = useFoldProgress(notices);
  const { isBlocked, onBlockingEvent } = useBlockedInput(transcript.version);
  const hint = useTopicHint({ messageCount, isRunning });
  const onChange = useRefreshOnChange(transcript, isRunning);
  useEvents(sessionId, (name, data) => {
    onCompaction(name, data);
    onFoldProgress(name, data);
    onBlockingEvent(name, data);
    hint.onEvent(name, data);
    onChange(name);
  });
  return { blocked: describeBlock(isBlocked, fullReason), hint };
}

function describeBlock(isBlocked: boolean, fullReason: string | undefined): string | undefined {
  if (isBlocked) return "You can write again when the compaction is done.";
  if (fullReason === undefined) return undefined;
  return `The context window is full. ${fullReason} To make room, clear the context or unpin messages: the log keeps everything.`;
}

/** Whether a compaction disables the composer, which a policy can require. */
function useBlockedInput(version: number) {
  const [isCompacting, setIsCompacting] = useState(false);
  const { value: rules } = useLoaded(`rules ${version}`, loadRules);
  const onBlockingEvent = useCallback((name: string, data: Fields) => {
    if (data.phase === "manual") return;
    if (name === "compaction-start") setIsCompacting(true);
    if (name === "compaction" || name === "compaction-end" || name === "missed") setIsCompacting(false);
  }, []);
  return { isBlocked: isCompacting && rules?.blocksInput === true, onBlockingEvent };
}

/** Events after which the log may have more entries than the page shows. */
const CHANGING_EVENTS: readonly string[] = ["compaction", "session-grown", "missed"];

/**
 * Refreshes when another client changed the log. During a turn the refresh waits, because the end of the turn
 * refreshes too; a change at that moment is checked afterwards. Also checks when the event stream opens, and every 30
 * seconds.
 */
function useRefreshOnChange({ log: { isBehind }, refresh }: Transcript, isRunning: boolean): (name: string) => void {
  const isPending = useRef(false);
  const refreshSoon = useDebouncedCall(() => {
    isPending.current = isRunning;
    if (!isRunning) void refresh();
  });
  const catchUp = useCallback(async () => {
    if (await isBehind()) refreshSoon();
  }, [isBehind, refreshSoon]);
  const ticks = useRefreshTicks();
  useEffect(() => {
    if (ticks > 0) void catchUp();
  }, [ticks, catchUp]);
  useEffect(() => {
    if (isRunning || !isPending.current) return;
    isPending.current = false;
    void catchUp();
  }, [isRunning, catchUp]);
  return useCallback(
    (name: string) => {
      if (name === STREAM_START) void catchUp();
      else if (name === "session-deleted") void refresh();
      else if (CHANGING_EVENTS.includes(name)) refreshSoon();
    },
    [catchUp, refresh, refreshSoon],
  );
}

/** Shows automatic compactions as notices. A manual one is reported by the command that started it. */
function useCompactionNotices({ notify, dismiss }: Notices) {
  const running = useRef<number | undefined>(undefined);
  const finished = useRef<number | undefined>(undefined);
  return useCallback(
    (name: string, data: Fields) => {
      if (name === "files-shed") notify(describeLeftOutFiles(data));
      if (data.phase === "manual") return;
      if (name === "compaction-start") {
        running.current ??= notify("Compacting…", "running");
        return;
      }
      // After `missed` it is unknown whether the compaction still runs.
      if (name !== "compaction" && name !== "compaction-end" && name !== "missed") return;
      if (running.current !== undefined) dismiss(running.current);
      running.current = undefined;
      if (name === "compaction") {
        if (finished.current !== undefined) dismiss(finished.current);
        finished.current = notify(describeCompaction(data));
      }
      if (name === "compaction-end" && data.outcome === "failed") notify(describeFailedCompaction(data), "failed");
    },
    [notify, dismiss],
  );
}

function describeCompaction(data: Fields): string {
  const figures = `${formatNumber(readNumber(data.tokensBefore))} → ${formatNumber(readNumber(data.tokensAfter))} tokens`;
  if (data.summary === undefined) return `Compacted: ${figures}.`;
  const isUpdate = readNumber(readFields(data.summary).depth) > 0;
  return `${isUpdate ? "Summary updated" : "Old messages summarized"}: ${figures}.`;
}

function describeLeftOutFiles(data: Fields): string {
  const paths = readList(data.files).map((file) => readText(readFields(file).path));
  const them = paths.length === 1 ? "it" : "them";
  return `No room for ${paths.join(", ")}: the model no longer sees ${them}. Make room and add ${them} again.`;
}

function describeFailedCompaction(data: Fields): string {
  return `Compaction failed: ${readText(data.reason)} Nothing was lost. The server tries again when the context window fills further.`;
}
