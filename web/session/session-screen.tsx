/** One conversation: what was said, the strip beside it, how full the window is, and whatever is looked into. */
import { useEffect, useRef } from "react";
import { sayError } from "../api/errors.ts";
import { type ComposedImage, sendMissing } from "../api/images.ts";
import type { SessionLine } from "../api/values.ts";
import { Composer } from "../chat/composer.tsx";
import { Conversation } from "../chat/conversation.tsx";
import { imagesOf, textOf } from "../chat/parts-of-message.ts";
import { pendingOf } from "../chat/use-turn.ts";
import { useSingle } from "../hooks/limit-calls.ts";
import { BudgetBar } from "../panels/budget-bar.tsx";
import { Inspector } from "../panels/inspector.tsx";
import { useSpent } from "../panels/session-cost.ts";
import { StripPane } from "../strip/strip-pane.tsx";
import { NoticeList } from "../ui/notices.tsx";
import { TopBar } from "../ui/top-bar.tsx";
import { EmptyConversation, GoneConversation } from "./placeholders.tsx";
import { isSample, SamplePlayer } from "./sample-player.tsx";
import { SessionMenu } from "./session-menu.tsx";
import { TopicHintLine } from "./topic-hint.tsx";
import { TurnEnd } from "./turn-end.tsx";
import { beginElsewhere } from "./use-presence.ts";
import { type Held, type SessionOptions, useSession } from "./use-session.ts";
import { useSessionActions } from "./use-session-actions.ts";

export interface SessionScreenProps extends SessionOptions {
  readonly onMenu: () => void;
  readonly onDelete: (session: SessionLine) => void;
}

export function SessionScreen({ onMenu, onDelete, ...options }: SessionScreenProps) {
  const { sessionId } = options;
  const held = useSession(options);
  const { session, view, compaction, version, inspected, inspect, jump, refresh, notices } = held;
  const spent = useSpent(sessionId, { version, view });
  useSessionActions(held);
  const fail = (error: unknown) => void notices.tell(sayError(error), "failed");
  const onChange = () => void refresh();
  return (
    <>
      <TopBar
        title={session?.title || session?.preview || "New conversation"}
        isInspecting={inspected !== undefined}
        onMenu={onMenu}
        menu={
          session && (
            <SessionMenu
              session={session}
              onChange={onChange}
              onFork={() => void held.ways.fork()}
              onDelete={onDelete}
              onFail={fail}
            />
          )
        }
        onInspect={() => inspect((before) => (before === undefined ? { tab: "view" } : undefined))}
      >
        <BudgetBar
          view={view}
          compaction={compaction}
          spent={spent}
          onUsage={() => inspect({ tab: "usage" })}
          isFull={held.full !== undefined}
        />
      </TopBar>
      <div className="desk">
        <Chat held={held} />
        {held.isEmpty ? null : (
          <StripPane
            sessionId={sessionId}
            version={version}
            model={held.turn.model}
            summaries={held.summaries}
            visible={held.visible}
            onJump={jump}
            onOpenSummary={held.openSummary}
          />
        )}
        {inspected === undefined ? null : (
          <Inspector
            sessionId={sessionId}
            inspected={inspected}
            version={version}
            onInspect={inspect}
            onJump={jump}
            summaryChanges={held.summaryChanges}
            onApplied={onChange}
            takenBack={held.takenBack}
            view={view}
            model={held.turn.model}
            spent={spent}
          />
        )}
      </div>
    </>
  );
}

function Chat({ held }: { readonly held: Held }) {
  const { log, turn, notices, ways } = held;
  const single = useSingle();
  const send = async (text: string, images: readonly ComposedImage[]) => {
    if (!(await held.isThere())) return false;
    try {
      // What is said is said at the end, wherever its speaker was reading.
      if (log.hasNewer) await log.newest();
      turn.send(text, await sendMissing(held.sessionId, images));
      return true;
    } catch (error) {
      notices.tell(sayError(error), "failed");
      return false;
    }
  };
  const retry = async () => {
    const { message } = held.unanswered;
    if (!(await held.isThere())) return;
    turn.retry(message && { id: message.id, text: textOf(message), images: imagesOf(message) });
  };
  const begin = () =>
    void single("begin", () =>
      beginElsewhere(held.sessionId, held.unsent.map(pendingOf)).catch((error: unknown) =>
        notices.tell(sayError(error), "failed"),
      ),
    );
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    // Where a touch opens a keyboard over half of the page, it is the reader who asks for it.
    if (!turn.isRunning && window.matchMedia("(hover: hover)").matches) field.current?.focus({ preventScroll: true });
  }, [turn.isRunning]);
  useEffect(() => {
    if (ways.editing !== undefined) field.current?.focus();
  }, [ways.editing]);
  return (
    <main className="chat" id="main">
      <Conversation
        log={log}
        live={held.live}
        isRunning={turn.isRunning}
        retry={turn.askedAgain}
        fates={held.fates}
        takenBack={held.takenBack}
        branches={ways.branches}
        visible={held.visible}
        target={held.target}
        actions={held.actions}
        onJump={held.jump}
        onOpenSummary={held.openSummary}
      >
        {held.isEmpty && !held.isGone ? (
          <EmptyConversation isSample={held.session !== undefined && isSample(held.session)} />
        ) : null}
        {log.error === undefined || held.isGone ? null : <p className="edge failed">{log.error}</p>}
        {held.isGone ? (
          <GoneConversation onBegin={begin} />
        ) : (
          <TurnEnd
            turn={turn}
            items={log.items}
            unanswered={held.unanswered}
            unsent={held.unsent}
            onRetry={() => void single("retry", retry)}
          />
        )}
      </Conversation>
      <NoticeList notices={notices.notices} drop={notices.drop} />
      <TopicHintLine hint={held.hint} onClear={() => void held.run({ name: "clear", words: "" })} />
      <SamplePlayer
        session={held.session}
        onBegin={held.hint.dismiss}
        onTurn={held.refresh}
        onFail={(text) => notices.tell(text, "failed")}
      />
      <Composer
        key={ways.editing?.seq}
        field={field}
        editing={ways.editing}
        onLeaveEdit={ways.leaveEdit}
        onEditLast={ways.editLast}
        sessionId={held.sessionId}
        blocked={held.blocked}
        isRunning={turn.isRunning}
        model={turn.model}
        choose={turn.choose}
        recalls={held.recalls}
        onSend={(text, images) =>
          ways.editing === undefined ? send(text, images) : ways.sayAnew({ ...ways.editing, text, images })
        }
        onStop={turn.stop}
        onCommand={held.run}
      />
    </main>
  );
}
