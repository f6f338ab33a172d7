/** An open session: the conversation, the strip, the budget, and the inspector. */
import { useEffect, useMemo, useRef } from "react";
import { describeError } from "../api/errors.ts";
import type { Session, ShownMessage } from "../api/values.ts";
import { Composer } from "../chat/composer.tsx";
import { Conversation } from "../chat/conversation.tsx";
import type { MessageActions } from "../chat/message-row.tsx";
import { BudgetBar } from "../panels/budget-bar.tsx";
import { Inspector } from "../panels/inspector.tsx";
import { useSessionCost } from "../panels/session-cost.ts";
import { StripPane } from "../strip/strip-pane.tsx";
import { NoticeList } from "../ui/notices.tsx";
import { TopBar } from "../ui/top-bar.tsx";
import { EmptyConversation, MissingConversation } from "./placeholders.tsx";
import { isSample, SamplePlayer } from "./sample-player.tsx";
import { SessionMenu } from "./session-menu.tsx";
import { TopicHintLine } from "./topic-hint.tsx";
import { TurnEnd } from "./turn-end.tsx";
import { type SessionState, useSession } from "./use-session.ts";
import { useSessionActions } from "./use-session-actions.ts";
import type { TranscriptOptions } from "./use-transcript.ts";

export interface SessionScreenProps extends TranscriptOptions {
  readonly onMenu: () => void;
  readonly onDelete: (session: Session) => void;
}

export function SessionScreen({ onMenu, onDelete, ...options }: SessionScreenProps) {
  const state = useSession(options);
  const { sessionId, transcript, conversation, figures, inspector, notices, branches } = state;
  const { session, report, compaction, fullReason } = figures;
  const { version, jump, refresh } = transcript;
  const { model } = conversation.turn;
  const cost = useSessionCost(sessionId, { version, report });
  useSessionActions(state);
  const onChange = () => void refresh();
  return (
    <>
      <TopBar
        title={session?.title || session?.preview || "New conversation"}
        isInspectorOpen={inspector.state !== undefined}
        onMenu={onMenu}
        menu={
          session && (
            <SessionMenu
              session={session}
              onChange={onChange}
              onFork={() => branches.fork()}
              onDelete={onDelete}
              onFail={(error) => void notices.notify(describeError(error), "failed")}
            />
          )
        }
        onInspect={() => inspector.open(inspector.state === undefined ? { tab: "view" } : undefined)}
      >
        <BudgetBar
          report={report}
          compaction={compaction}
          cost={cost}
          onUsage={() => inspector.open({ tab: "usage" })}
          isFull={fullReason !== undefined}
        />
      </TopBar>
      <div className="desk">
        <Chat state={state} />
        {isEmpty(state) ? null : (
          <StripPane
            sessionId={sessionId}
            version={version}
            model={model}
            summaries={figures.summaries}
            visible={transcript.visible}
            onJump={jump}
            onOpenSummary={inspector.openSummary}
            recalledSeqs={state.recalls.quotedSeqs}
          />
        )}
        {inspector.state === undefined ? null : (
          <Inspector
            sessionId={sessionId}
            state={inspector.state}
            version={version}
            onOpen={inspector.open}
            onJump={jump}
            summaryActions={state.commands.summaryActions}
            onChange={onChange}
            undone={figures.undone}
            recalls={state.recalls}
            report={report}
            model={model}
            cost={cost}
          />
        )}
      </div>
    </>
  );
}

function Chat({ state }: { readonly state: SessionState }) {
  const { transcript, conversation, figures, events, commands, branches, notices, inspector } = state;
  const { log } = transcript;
  const { turn, isGone } = conversation;
  const { editing } = branches;
  const field = useComposerFocus(turn.isRunning, editing);
  return (
    <main className="chat" id="main">
      <Conversation
        log={log}
        live={conversation.live}
        isRunning={turn.isRunning}
        retry={turn.retryStatus}
        fates={figures.fates}
        undone={figures.undone}
        recalls={state.recalls}
        branches={branches.branches}
        visible={transcript.visible}
        target={transcript.target}
        actions={useMessageActions(state)}
        onJump={transcript.jump}
        onOpenSummary={inspector.openSummary}
      >
        {isEmpty(state) && !isGone ? (
          <EmptyConversation isSample={figures.session !== undefined && isSample(figures.session)} />
        ) : null}
        {log.error === undefined || isGone ? null : <p className="edge failed">{log.error}</p>}
        {isGone ? (
          <MissingConversation onCreate={conversation.moveToNewSession} />
        ) : (
          <TurnEnd conversation={conversation} items={log.items} />
        )}
      </Conversation>
      <NoticeList notices={notices.notices} dismiss={notices.dismiss} />
      <TopicHintLine hint={events.hint} onClear={() => void commands.run({ name: "clear", argument: "" })} />
      <SamplePlayer
        session={figures.session}
        onStart={events.hint.dismiss}
        onTurn={transcript.refresh}
        onFail={(text) => notices.notify(text, "failed")}
      />
      <Composer
        key={editing?.seq}
        field={field}
        editing={editing}
        onCancelEdit={branches.cancelEdit}
        onEditLast={branches.editLast}
        sessionId={state.sessionId}
        blocked={isGone ? "This conversation no longer exists." : events.blocked}
        isRunning={turn.isRunning}
        model={turn.model}
        chooseModel={turn.chooseModel}
        quotes={state.quotes}
        onSend={(text, images) =>
          editing === undefined ? conversation.send(text, images) : branches.resend({ ...editing, text, images })
        }
        onStop={turn.stop}
        onCommand={commands.run}
      />
    </main>
  );
}

function isEmpty({ transcript: { log }, conversation: { isGone, live } }: SessionState): boolean {
  return (!log.isLoading || isGone) && log.items.length === 0 && live.length === 0;
}

/** Returns the same object while its parts do not change, so that message rows do not render again. */
function useMessageActions({ commands, branches, quotes, inspector }: SessionState): MessageActions {
  const { togglePin } = commands;
  const { edit, regenerate, fork: forkAt } = branches;
  const { quote } = quotes;
  const { open } = inspector;
  return useMemo(
    () => ({
      togglePin,
      edit,
      regenerate,
      quote,
      explain: ({ id }: ShownMessage) => open({ tab: "message", messageId: id }),
      fork: ({ lastSeq }: ShownMessage) => forkAt(lastSeq),
    }),
    [togglePin, edit, regenerate, quote, open, forkAt],
  );
}

/** Focuses the composer after a turn and when an edit starts. */
function useComposerFocus(isRunning: boolean, editing: object | undefined) {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    // On a touch screen the focus would open the keyboard over half of the page.
    if (!isRunning && window.matchMedia("(hover: hover)").matches) field.current?.focus({ preventScroll: true });
  }, [isRunning]);
  useEffect(() => {
    if (editing !== undefined) field.current?.focus();
  }, [editing]);
  return field;
}
