/**
 * One message with its fate in the margin: the same pattern as on the strip, with its name beside it where the model
 * does not see the message as it was said.
 */
import { memo } from "react";
import type { Branch } from "../api/sessions.ts";
import type { Block, Fate, ShownMessage } from "../api/values.ts";
import { writePlace } from "../hooks/use-location.ts";
import { FATE_WORDS, FateSwatch } from "../strip/fates.tsx";
import { CopyButton } from "../ui/copy.tsx";
import { writeCount, writeTime, writeWhen } from "../ui/format.ts";
import { AskIcon, ForkIcon, PinIcon, UndoIcon } from "../ui/icons.tsx";
import { Picture } from "../ui/picture.tsx";
import { textOf } from "./parts-of-message.ts";
import { Prose } from "./prose.tsx";
import { ToolRound } from "./tool-round.tsx";

export interface MessageActions {
  readonly pin: (message: ShownMessage, isPinned: boolean) => void;
  readonly explain: (message: ShownMessage) => void;
  /** Brings what the model does not read any more back with the next message. */
  readonly recall: (message: ShownMessage) => void;
  readonly fork: (message: ShownMessage) => void;
  /** Says something else in its place, on another way. */
  readonly edit: (message: ShownMessage) => void;
  /** Asks for another answer, on another way. */
  readonly again: (message: ShownMessage) => void;
}

export interface MessageRowProps {
  readonly message: ShownMessage;
  readonly fate: Fate | undefined;
  /** Whether the name of the fate is shown: not again for each message of a stretch. */
  readonly isFateSaid?: boolean | undefined;
  readonly isContinued: boolean;
  readonly branch?: Branch | undefined;
  readonly isStreaming?: boolean | undefined;
  /** That the provider was asked again and why, while it has not answered that. */
  readonly retry?: string | undefined;
  readonly actions?: MessageActions | undefined;
}

export const MessageRow = memo(function MessageRow(props: MessageRowProps) {
  const {
    message,
    fate = "verbatim",
    isFateSaid = false,
    isContinued,
    branch,
    isStreaming = false,
    retry,
    actions,
  } = props;
  const { seq, role, blocks } = message;
  const isShown = fate === "verbatim" || fate === "pinned";
  return (
    <li
      className={`message message-${role} ${isContinued ? "message-continued" : ""} ${isShown ? "" : "message-under"}`}
      data-seq={seq}
      data-last-seq={message.lastSeq}
      data-fate={seq === undefined ? undefined : fate}
      id={seq === undefined ? undefined : `message-${seq}`}
      tabIndex={-1}
      aria-busy={isStreaming}
    >
      <div className="message-margin">{seq !== undefined && <FateSwatch fate={fate} isTall />}</div>
      <article className="message-body">
        <MessageHead message={message} fate={fate} isFateSaid={isFateSaid} isContinued={isContinued} />
        {branch === undefined ? null : <BranchSwitch branch={branch} />}
        {message.isErased ? <p className="aside">The text of this message was deleted by its owner.</p> : null}
        {blocks.map((block, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: blocks of a message are never moved.
          <MessageBlock key={index} block={block} isUser={role === "user"} />
        ))}
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

type MessageHeadProps = Required<Pick<MessageRowProps, "message" | "fate" | "isFateSaid" | "isContinued">>;

function MessageHead({ message, fate = "verbatim", isFateSaid, isContinued }: MessageHeadProps) {
  const { role, name, at } = message;
  const isSaid = isFateSaid === true && fate !== "verbatim";
  const isQuiet = isContinued && !isSaid;
  return (
    <header className={isQuiet ? "visually-hidden" : "message-head"}>
      <span className={isContinued ? "visually-hidden" : "message-who"}>{name ?? SPEAKERS[role]}</span>
      {fate === "verbatim" ? null : (
        <span className={isSaid ? "fate-name" : "visually-hidden"}>{FATE_WORDS[fate].name}</span>
      )}
      {at === undefined || isContinued ? null : (
        <time dateTime={new Date(at).toISOString()} title={writeTime(at)}>
          {writeWhen(at, Date.now())}
        </time>
      )}
    </header>
  );
}

const SPEAKERS = { user: "You", assistant: "Assistant", tool: "Tool", system: "System" } as const;

/** What the server writes where somebody stopped an answer. */
const STOPPED_MARK = "[stopped]";

function MessageBlock({ block, isUser }: { readonly block: Block; readonly isUser: boolean }) {
  switch (block.type) {
    case "text":
      if (isUser) return <p className="said">{block.text}</p>;
      return block.text === STOPPED_MARK ? <p className="aside">Stopped here.</p> : <Prose text={block.text} />;
    case "reasoning":
      return (
        <details className="fold">
          <summary>Thought</summary>
          <p className="said aside">{block.text}</p>
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

/** Fates in which the model does not read a message as it was said. */
const RECALLABLE: readonly Fate[] = ["pruned", "cut", "summarised", "truncated", "cleared"];

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
        <button type="button" className="quiet" onClick={() => actions.again(message)}>
          Again
        </button>
      ) : null}
      {/* The second click of two would take back what the first one did. */}
      <button type="button" className="quiet" onClick={({ detail }) => detail < 2 && actions.pin(message, isPinned)}>
        <PinIcon /> {isPinned ? "Unpin" : "Pin"}
      </button>
      <button type="button" className="quiet" onClick={() => actions.explain(message)}>
        <AskIcon /> Explain
      </button>
      {RECALLABLE.includes(fate) && !message.isErased ? (
        <button
          type="button"
          className="quiet"
          title="The model does not read this in its own words any more. Quote it in the next message"
          onClick={() => actions.recall(message)}
        >
          <UndoIcon /> Recall
        </button>
      ) : null}
      <button
        type="button"
        className="quiet"
        title="Go on from here in another one"
        onClick={() => actions.fork(message)}
      >
        <ForkIcon /> Fork
      </button>
      {message.tokens === undefined ? null : (
        <span className="figures aside">{writeCount(message.tokens, "token")}</span>
      )}
    </footer>
  );
}

export function BranchSwitch({ branch }: { readonly branch: Branch }) {
  const { sessionIds, current } = branch;
  return (
    <nav className="branches" aria-label="Ways that the conversation went from here">
      <Way id={sessionIds[current - 1]} label="The way before" sign="‹" />
      <span className="figures">
        {current + 1}/{sessionIds.length}
      </span>
      <Way id={sessionIds[current + 1]} label="The next way" sign="›" />
    </nav>
  );
}

function Way({ id, label, sign }: { readonly id: string | undefined; readonly label: string; readonly sign: string }) {
  if (id === undefined) return <span aria-hidden="true">{sign}</span>;
  return (
    <a href={writePlace({ type: "session", id, seq: undefined })} aria-label={label}>
      {sign}
    </a>
  );
}
