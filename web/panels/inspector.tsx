/** The inspector next to the conversation: the next prompt, summaries, explanations, workspace and usage. */
import { type KeyboardEvent, lazy, Suspense, useEffect, useRef } from "react";
import type { PromptReport } from "../api/values.ts";
import type { ShownRecalls } from "../session/use-recalls.ts";
import { CloseIcon } from "../ui/icons.tsx";
import { MessagePanel } from "./message-panel.tsx";
import type { SessionCost } from "./session-cost.ts";
import { SummariesPanel, type SummaryActions } from "./summaries-panel.tsx";
import { TABS, type Tab } from "./tabs.ts";
import { ViewPanel } from "./view-panel.tsx";

const UsagePanel = lazy(async () => ({ default: (await import("./usage-panel.tsx")).UsagePanel }));
const WorkspacePanel = lazy(async () => ({ default: (await import("./workspace-panel.tsx")).WorkspacePanel }));

export interface InspectorState {
  readonly tab: Tab;
  readonly messageId?: string | undefined;
  readonly summaryId?: string | undefined;
}

export interface InspectorProps {
  readonly sessionId: string;
  readonly state: InspectorState;
  /** Increases whenever the content may have changed. */
  readonly version: number;
  readonly onOpen: (state: InspectorState | undefined) => void;
  readonly onJump: (seq: number) => void;
  readonly summaryActions: SummaryActions;
  /** Called when the model's view or the workspace has changed. */
  readonly onChange: () => void;
  /** Ids of changes that are undone. */
  readonly undone: ReadonlySet<string> | undefined;
  readonly recalls: ShownRecalls;
  readonly report: PromptReport | undefined;
  /** The chosen model; undefined for the server's default. */
  readonly model: string | undefined;
  readonly cost: SessionCost;
}

export function Inspector(props: InspectorProps) {
  const { sessionId, state, version, onOpen, onJump, summaryActions, onChange, report, model, cost } = props;
  const { tab } = state;
  const frame = useRef<HTMLElement>(null);
  useEffect(() => {
    const opener = document.activeElement;
    frame.current?.querySelector<HTMLElement>('[aria-selected="true"]')?.focus();
    return () => {
      if (opener instanceof HTMLElement) opener.focus({ preventScroll: true });
    };
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    onOpen(undefined);
  };
  return (
    <aside className="inspector" aria-label="Inspector" ref={frame} onKeyDown={onKeyDown}>
      <div className="inspector-head">
        <Tabs tab={tab} onChoose={(next) => onOpen({ ...state, tab: next })} />
        <button type="button" className="quiet icon-button" aria-label="Close" onClick={() => onOpen(undefined)}>
          <CloseIcon />
        </button>
      </div>
      <div className="inspector-body" role="tabpanel" id={`panel-${tab}`} aria-labelledby={`tab-${tab}`}>
        {tab === "view" ? (
          <ViewPanel sessionId={sessionId} version={version} model={model} cost={cost} recalls={props.recalls} />
        ) : null}
        {tab === "summaries" ? (
          <SummariesPanel
            sessionId={sessionId}
            version={version}
            openId={state.summaryId}
            onJump={onJump}
            actions={summaryActions}
            onApplied={onChange}
            undone={props.undone}
          />
        ) : null}
        {tab === "workspace" ? (
          <Suspense fallback={<p className="aside panel-empty">Loading…</p>}>
            <WorkspacePanel sessionId={sessionId} version={version} report={report} onChange={onChange} />
          </Suspense>
        ) : null}
        {tab === "usage" ? (
          <Suspense fallback={<p className="aside panel-empty">Loading…</p>}>
            <UsagePanel sessionId={sessionId} version={version} onJump={onJump} />
          </Suspense>
        ) : null}
        {tab === "message" ? (
          <MessagePanel
            sessionId={sessionId}
            version={version}
            model={model}
            messageId={state.messageId}
            onJump={onJump}
          />
        ) : null}
      </div>
    </aside>
  );
}

function Tabs({ tab, onChoose }: { readonly tab: Tab; readonly onChoose: (tab: Tab) => void }) {
  const list = useRef<HTMLDivElement>(null);
  const names = Object.keys(TABS) as Tab[];
  // In a narrow row, scrolls to the selected tab.
  useEffect(() => {
    list.current?.querySelector(`#tab-${tab}`)?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [tab]);
  const move = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    const next = names[(names.indexOf(tab) + step + names.length) % names.length];
    if (step === 0 || next === undefined) return;
    onChoose(next);
    list.current?.querySelector<HTMLElement>(`#tab-${next}`)?.focus();
  };
  return (
    <div className="tabs" role="tablist" aria-label="Inspector panels" ref={list} onKeyDown={move}>
      {names.map((name) => (
        <button
          key={name}
          type="button"
          role="tab"
          id={`tab-${name}`}
          aria-controls={`panel-${tab}`}
          aria-selected={name === tab}
          tabIndex={name === tab ? 0 : -1}
          onClick={() => onChoose(name)}
        >
          {TABS[name]}
        </button>
      ))}
    </div>
  );
}
