/** The state of an open session, one hook for each concern. */
import { useCallback, useState } from "react";
import { type Quotes, useQuotes } from "../chat/quoted-messages.tsx";
import type { InspectorState } from "../panels/inspector.tsx";
import { type Notices, useNotices } from "../ui/notices.tsx";
import { type Branches, useBranches } from "./use-branches.ts";
import { type Commands, useCommands } from "./use-commands.ts";
import { type SessionFigures, useFigures } from "./use-figures.ts";
import { type ShownRecalls, useRecalls } from "./use-recalls.ts";
import { type SessionEvents, useSessionEvents } from "./use-session-events.ts";
import { type SessionTurn, useSessionTurn } from "./use-session-turn.ts";
import { type Transcript, type TranscriptOptions, useTranscript } from "./use-transcript.ts";

export interface SessionState {
  readonly sessionId: string;
  readonly transcript: Transcript;
  readonly conversation: SessionTurn;
  readonly figures: SessionFigures;
  readonly events: SessionEvents;
  readonly commands: Commands;
  readonly recalls: ShownRecalls;
  readonly branches: Branches;
  readonly quotes: Quotes;
  readonly notices: Notices;
  readonly inspector: InspectorControl;
}

export interface InspectorControl {
  /** Undefined while the inspector is closed. */
  readonly state: InspectorState | undefined;
  readonly open: (state: InspectorState | undefined) => void;
  readonly openSummary: (summaryId: string) => void;
}

export function useSession(options: TranscriptOptions): SessionState {
  const { sessionId } = options;
  const notices = useNotices();
  const { notify } = notices;
  const transcript = useTranscript(options);
  const { log, version, refresh } = transcript;
  const conversation = useSessionTurn({ sessionId, transcript, notify });
  const { isRunning, model } = conversation.turn;
  const figures = useFigures(sessionId, { version, log, model });
  const { session, fullReason, report, summaries } = figures;
  const commands = useCommands({ sessionId, notices, onChange: refresh });
  const messageCount = session?.messageCount ?? 0;
  return {
    sessionId,
    transcript,
    conversation,
    figures,
    events: useSessionEvents({ sessionId, transcript, notices, isRunning, messageCount, fullReason }),
    commands,
    recalls: useRecalls(sessionId, { version, report, summaries, commands, jump: transcript.jump }),
    branches: useBranches({ sessionId, session, version, items: log.items, notify, model }),
    quotes: useQuotes(),
    notices,
    inspector: useInspector(),
  };
}

function useInspector(): InspectorControl {
  const [state, open] = useState<InspectorState | undefined>();
  const openSummary = useCallback((summaryId: string) => open({ tab: "summaries", summaryId }), []);
  return { state, open, openSummary };
}
