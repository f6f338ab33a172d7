/**
 * One message with the strip's pattern for its fate in the margin. The first of several messages with one fate also
 * shows the fate's name, unless it is verbatim.
 */
import { memo } from "react";
import type { RecalledBlock } from "../api/recalls.ts";
import type { Block, Branch, Fate, ShownMessage } from "../api/values.ts";
import { textOf } from "../api/values.ts";
import { placeHref } from "../hooks/use-location.ts";
import { FATE_LABELS, FateSwatch } from "../strip/fates.tsx";
import { CopyButton } from "../ui/copy.tsx";
import { formatCount, formatDateTime, formatTime } from "../ui/format.ts";
import { AskIcon, ForkIcon, PinIcon, QuoteIcon } from "../ui/icons.tsx";
import { Picture } from "../ui/picture.tsx";
import { type RecallActions, RecalledDetails } from "../ui/recalled-passages.tsx";
import { Prose } from "./prose.tsx";
import { ToolRound } from "./tool-round.tsx";

export interface MessageActions {
  readonly togglePin: (message: ShownMessage, isPinned: boolean) => void;
  readonly explain: (message: ShownMessage) => void;
  /** Quotes the message in the next message of the user. */
  readonly quote: (message: ShownMessage) => void;
  readonly fork: (message: ShownMessage) => void;
  /** Edits the message on a new branch. */
  readonly edit: (message: ShownMessage) => void;
  /** Requests another answer on a new branch. */
  readonly regenerate: (message: ShownMessage) => void;
}

export interface MessageRowProps {
  readonly message: ShownMessage;
  readonly fate: Fate | undefined;
  /** Whether the fate's name is shown: only for the first of several messages with the same fate. */
  readonly showsFate?: boolean | undefined;
  readonly isContinued: boolean;
  readonly branch?: Branch | undefined;
  readonly isStreaming?: boolean | undefined;
  /** Why the server retries the request, while it does. */
  readonly retry?: string | undefined;
  readonly actions?: MessageActions | undefined;
  /** Earlier messages that were quoted for this one. */
  readonly recall?: RecalledBlock | undefined;
  readonly recallActions?: RecallActions | undefined;
}

export const MessageRow = memo(function MessageRow(props: MessageRowProps) {
  const {
    message,
    fate = "verbatim",
    showsFate = false,
    isContinued,
    branch,
    isStreaming = false,
    retry,
    actions,
    recall,
    recallActions,
  } = props;
  const { seq, role, blocks } = message;
  const isShown = fate === "verbatim" || fate === "pinned";
  return (
    <li
      className={`message message-${role} ${isContinued ? "message-continued" : ""} ${isShown ? "" : "message-hidden"}`}
      data-seq={seq}
      data-last-seq={message.lastSeq}
      data-fate={seq === undefined ? undefined : fate}
      id={seq === undefined ? undefined : `message-${seq}`}
      tabIndex={-1}
      aria-busy={isStreaming}
    >
      <div className="message-margin">{seq !== undefined && <FateSwatch fate={fate} isTall />}</div>
      <article className="message-body">
        <MessageHead message={message} fate={fate} showsFate={showsFate} isContinued={isContinued} />
        {branch === undefined ? null : <BranchSwitch branch={branch} />}
        {message.isErased ? <p className="aside">The text of this message was deleted.</p> : null}
        {blocks.map((block, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: blocks of a message are never moved.
          <MessageBlock key={index} block={block} isUser={role === "user"} />
        ))}
        {recall === undefined || recallActions === undefined ? null : (
          <RecalledDetails block={recall} actions={recallActions} />
        )}
        {isStreaming && retry === undefined && blocks.length === 0 ? <p className="aside waiting">Thinking</p> : null}
        {isStreaming ? (
          <p className="aside" role="status">
            {retry}
          </p>
        ) : null}
        {seq !== undefined && actions !== undefined ? (
          <MessageTools message={message} fate={fate} actions={actions} />
        ) : null}
      </article>
    </li>
  );
});

type MessageHeadProps = Required<Pick<MessageRowProps, "message" | "fate" | "showsFate" | "isContinued">>;

function MessageHead({ message, fate = "verbatim", showsFate, isContinued }: MessageHeadProps) {
  const { role, name, at } = message;
  const hasFateName = showsFate === true && fate !== "verbatim";
  const isQuiet = isContinued && !hasFateName;
  return (
    <header className={isQuiet ? "visually-hidden" : "message-head"}>
      <span className={isContinued ? "visually-hidden" : "message-who"}>{name ?? SPEAKERS[role]}</span>
      {fate === "verbatim" ? null : (
        <span className={hasFateName ? "fate-name" : "visually-hidden"}>{FATE_LABELS[fate].name}</span>
      )}
      {at === undefined || isContinued ? null : (
        <time dateTime={new Date(at).toISOString()} title={formatDateTime(at)}>
          {formatTime(at, Date.now())}
        </time>
      )}
    </header>
  );
}

const SPEAKERS = { user: "You", assistant: "Assistant", tool: "Tool", system: "System" } as const;

/** Texts that the server adds to an answer that was stopped by the user or by an error. */
const END_MARKS: ReadonlyMap<string, string> = new Map([
  ["[stopped]", "Stopped."],
  ["[interrupted]", "Interrupted."],
]);

function MessageBlock({ block, isUser }: { readonly block: Block; readonly isUser: boolean }) {
  switch (block.type) {
    case "text": {
      if (isUser) return <p className="plain-text">{block.text}</p>;
      const mark = END_MARKS.get(block.text);
      return mark === undefined ? <Prose text={block.text} /> : <p className="aside">{mark}</p>;
    }
    case "reasoning":
      return (
        <details className="fold">
          <summary>Reasoning</summary>
          <p className="plain-text aside">{block.text}</p>
        </details>
      );
    case "tool":
      return <ToolRound call={block.call} />;
    case "image":
      return <Picture className="picture" url={block.url} name={block.name || "Image"} />;
    case "attachment":
      return <p className="aside">Attached: {block.label}</p>;
  }
}

/** Fates of messages that can be quoted, because the model does not read them word for word. */
const QUOTABLE: readonly Fate[] = ["pruned", "cut", "summarised", "truncated", "cleared"];

interface MessageToolsProps {
  readonly message: ShownMessage;
  readonly fate: Fate;
  readonly actions: MessageActions;
}

function MessageTools({ message, fate, actions }: MessageToolsProps) {
  const text = textOf(message, "\n\n");
  const isPinned = fate === "pinned";
  return (
    <footer className="message-tools">
      {text === "" ? null : <CopyButton text={text} what="message" />}
      {message.role === "user" ? (
        <button type="button" className="quiet" onClick={() => actions.edit(message)}>
          Edit
        </button>
      ) : null}
      {message.role === "assistant" ? (
        <button type="button" className="quiet" onClick={() => actions.regenerate(message)}>
          Regenerate
        </button>
      ) : null}
      {/* The second click of a double click would undo the first. */}
      <button
        type="button"
        className="quiet"
        onClick={({ detail }) => detail < 2 && actions.togglePin(message, isPinned)}
      >
        <PinIcon /> {isPinned ? "Unpin" : "Pin"}
      </button>
      <button type="button" className="quiet" onClick={() => actions.explain(message)}>
        <AskIcon /> Explain
      </button>
      {QUOTABLE.includes(fate) && !message.isErased ? (
        <button
          type="button"
          className="quiet"
          title="Quote this in the next message: the model no longer reads it word for word"
          onClick={() => actions.quote(message)}
        >
          <QuoteIcon /> Quote
        </button>
      ) : null}
      <button
        type="button"
        className="quiet"
        title="Continue from here in a new conversation"
        onClick={() => actions.fork(message)}
      >
        <ForkIcon /> Fork
      </button>
      {message.tokens === undefined ? null : (
        <span className="figures aside">{formatCount(message.tokens, "token")}</span>
      )}
    </footer>
  );
}

export function BranchSwitch({ branch }: { readonly branch: Branch }) {
  const { sessionIds, current } = branch;
  return (
    <nav className="branches" aria-label="Branches from here">
      <BranchLink id={sessionIds[current - 1]} label="Previous branch" sign="‹" />
      <span className="figures">
        {current + 1}/{sessionIds.length}
      </span>
      <BranchLink id={sessionIds[current + 1]} label="Next branch" sign="›" />
    </nav>
  );
}

function BranchLink({
  id,
  label,
  sign,
}: {
  readonly id: string | undefined;
  readonly label: string;
  readonly sign: string;
}) {
  if (id === undefined) return <span aria-hidden="true">{sign}</span>;
  return (
    <a href={placeHref({ type: "session", id, seq: undefined })} aria-label={label}>
      {sign}
    </a>
  );
}
