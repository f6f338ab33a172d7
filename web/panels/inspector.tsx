/** What lies beside the conversation: what the model sees, the summaries, and why a message is where it is. */
import { type KeyboardEvent, lazy, Suspense, useEffect, useRef } from "react";
import type { View } from "../api/values.ts";
import type { SummaryChanges } from "../session/use-summary-changes.ts";
import { CloseIcon } from "../ui/icons.tsx";
import { MessagePanel } from "./message-panel.tsx";
import type { Spent } from "./session-cost.ts";
import { SummariesPanel } from "./summaries-panel.tsx";
import { ViewPanel } from "./view-panel.tsx";

const UsagePanel = lazy(async () => ({ default: (await import("./usage-panel.tsx")).UsagePanel }));
const WorkspacePanel = lazy(async () => ({ default: (await import("./workspace-panel.tsx")).WorkspacePanel }));

export const TABS = {
  view: "What the model sees",
  summaries: "Summaries",
  message: "Message",
  workspace: "Workspace",
  usage: "Usage",
} as const;
export type Tab = keyof typeof TABS;

export interface Inspected {
  readonly tab: Tab;
  readonly messageId?: string | undefined;
  readonly summaryId?: string | undefined;
}

export interface InspectorProps {
  readonly sessionId: string;
  readonly inspected: Inspected;
  /** Changes when anything that is shown here may have. */
  readonly version: number;
  readonly onInspect: (inspected: Inspected | undefined) => void;
  readonly onJump: (seq: number) => void;
  readonly summaryChanges: SummaryChanges;
  readonly onApplied: () => void;
  /** Ids of changes that were undone. */
  readonly takenBack: ReadonlySet<string> | undefined;
  readonly view: View | undefined;
  /** Who is asked next, where somebody chose. */
  readonly model: string | undefined;
  readonly spent: Spent;
}

export function Inspector(props: InspectorProps) {
  const { sessionId, inspected, version, onInspect, onJump, summaryChanges, onApplied, view, model, spent } = props;
  const { tab } = inspected;
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
    onInspect(undefined);
  };
  return (
    <aside className="inspector" aria-label="Beside the conversation" ref={frame} onKeyDown={onKeyDown}>
      <div className="inspector-head">
        <Tabs tab={tab} onChoose={(next) => onInspect({ ...inspected, tab: next })} />
        <button type="button" className="quiet icon-button" aria-label="Close" onClick={() => onInspect(undefined)}>
          <CloseIcon />
        </button>
      </div>
      <div className="inspector-body" role="tabpanel" id={`panel-${tab}`} aria-labelledby={`tab-${tab}`}>
        {tab === "view" ? <ViewPanel sessionId={sessionId} version={version} model={model} spent={spent} /> : null}
        {tab === "summaries" ? (
          <SummariesPanel
            sessionId={sessionId}
            version={version}
            openId={inspected.summaryId}
            onJump={onJump}
            changes={summaryChanges}
            onApplied={onApplied}
            takenBack={props.takenBack}
          />
        ) : null}
        {tab === "workspace" ? (
          <Suspense fallback={<p className="aside panel-empty">Looking…</p>}>
            <WorkspacePanel sessionId={sessionId} version={version} view={view} onChange={onApplied} />
          </Suspense>
        ) : null}
        {tab === "usage" ? (
          <Suspense fallback={<p className="aside panel-empty">Looking…</p>}>
            <UsagePanel sessionId={sessionId} version={version} onJump={onJump} />
          </Suspense>
        ) : null}
        {tab === "message" ? (
          <MessagePanel
            sessionId={sessionId}
            version={version}
            model={model}
            messageId={inspected.messageId}
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
  // Where there is no room for all of them, the row is scrolled to the one that is shown.
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
    <div className="tabs" role="tablist" aria-label="What to look at" ref={list} onKeyDown={move}>
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
