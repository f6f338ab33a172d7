/** One conversation with everything that can be done to it, put together for the screen that shows it. */
import { useCallback, useMemo, useState } from "react";
import type { ShownMessage } from "../api/values.ts";
import { giveBack } from "../chat/drafts.ts";
import { useRecall } from "../chat/recalled-messages.tsx";
import { useLive } from "../chat/use-live.ts";
import { useTurn } from "../chat/use-turn.ts";
import { useEvents } from "../hooks/use-events.ts";
import { useLog } from "../hooks/use-log.ts";
import { usePolicyChange } from "../hooks/use-policy-change.ts";
import type { Inspected } from "../panels/inspector.tsx";
import { useNotices } from "../ui/notices.tsx";
import { readEnded } from "./read-ended.ts";
import { useTopicHint } from "./topic-hint.tsx";
import { useBlocked } from "./use-blocked.ts";
import { useWays } from "./use-branches.ts";
import { useChanges } from "./use-changes.ts";
import { useCommands } from "./use-commands.ts";
import { useCompactionNotices } from "./use-compaction-notices.ts";
import { useFigures } from "./use-figures.ts";
import { useJump } from "./use-jump.ts";
import { usePresence } from "./use-presence.ts";
import { useSummaryChanges } from "./use-summary-changes.ts";
import { useUnanswered } from "./use-unanswered.ts";
import { useUnsent } from "./use-unsent.ts";

export interface SessionOptions {
  readonly sessionId: string;
  readonly startSeq: number | undefined;
  /** Something changed that the list of conversations shows. */
  readonly onChange: () => void;
}

export function useSession({ sessionId, startSeq, onChange }: SessionOptions) {
  const [version, setVersion] = useState(0);
  const [inspected, setInspected] = useState<Inspected | undefined>();
  const { notices, tell, drop } = useNotices();
  const log = useLog(sessionId, startSeq);
  const { follow } = log;
  const { visible, target, jump } = useJump(log, startSeq);
  const refresh = useCallback(async () => {
    const isRead = await follow(visible.read());
    setVersion((before) => before + 1);
    onChange();
    return isRead;
  }, [follow, visible, onChange]);
  usePolicyChange(refresh);
  const turn = useTurn({
    sessionId,
    log,
    onEnd: useCallback(() => readEnded(refresh), [refresh]),
    onRefused: (message, reason) => {
      giveBack(sessionId, [message]);
      tell(reason, "failed");
    },
  });
  const unsent = useUnsent({ sessionId, turn, log });
  const unanswered = useUnanswered(turn, log);
  const { isGone, isThere } = usePresence(sessionId, log);
  const commands = useCommands({ sessionId, tell, drop, onChange: refresh });
  const tellCompaction = useCompactionNotices({ tell, drop });
  const figures = useFigures(sessionId, { version, log, model: turn.model });
  const { rules, heed, blocked } = useBlocked({ version, full: figures.full });
  const hint = useTopicHint({ messageCount: figures.session?.messageCount ?? 0, isRunning: turn.isRunning });
  const heedChange = useChanges({ log, isRunning: turn.isRunning, refresh });
  useEvents(sessionId, (name, data) => {
    tellCompaction(name, data);
    heed(name, data);
    hint.heed(name, data);
    heedChange(name);
  });
  const ways = useWays({ sessionId, session: figures.session, version, log, tell, model: turn.model });
  const { pin } = commands;
  const { edit, again, fork: forkAt } = ways;
  const recalls = useRecall();
  const { recall } = recalls;
  const actions = useMemo(() => {
    const explain = ({ id }: ShownMessage) => setInspected({ tab: "message", messageId: id });
    const fork = ({ lastSeq }: ShownMessage) => void forkAt(lastSeq);
    return { pin, fork, explain, edit, again, recall };
  }, [pin, forkAt, edit, again, recall]);
  const openSummary = useCallback((summaryId: string) => setInspected({ tab: "summaries", summaryId }), []);
  const live = useLive(turn, log);
  return {
    sessionId,
    version,
    log,
    turn,
    live,
    refresh,
    isEmpty: (!log.isLoading || isGone) && log.items.length === 0 && live.length === 0,
    run: commands.run,
    summaryChanges: useSummaryChanges(sessionId, commands),
    actions,
    recalls,
    inspected,
    inspect: setInspected,
    openSummary,
    notices: { notices, tell, drop },
    visible,
    target,
    jump,
    unsent,
    unanswered,
    isGone,
    isThere,
    ...figures,
    ways,
    rules,
    blocked: isGone ? "Nothing can be said here any more." : blocked,
    hint,
  };
}

export type Held = ReturnType<typeof useSession>;
