/** Types of the page. Answers of the server keep the client's types; messages and markers of the log are built here. */
import type { ClientAnswer } from "../../src/client/client-types.ts";
import type { RouteName } from "../../src/protocol/routes.ts";

type Answer<Name extends RouteName> = Awaited<ClientAnswer<Name>>;

export type Session = Answer<"readSession">;
/** A position after which sessions with the same first messages differ. */
export type Branch = Answer<"listBranches">["branches"][number];
export type Entry = Answer<"readEntries">["entries"][number];
export type Message = Answer<"readMessage">["message"];
export type View = Answer<"readView">;
export type PromptReport = View["report"];
export type LastPrompt = Answer<"readLastPrompt">;
export type CompactionState = Answer<"readBudget">["compaction"];
export type Explanation = Answer<"explainMessage">;
export type Fate = Explanation["fate"];
export type SessionUsage = Answer<"readUsage">;
export type ModelUsage = SessionUsage["models"][number];
export type AnswerUsage = SessionUsage["newest"][number];
export type CompactionOutcome = Answer<"compact">;
export type PinOutcome = Answer<"pinMessage">;
export type UndoOutcome = Answer<"undo">;
export type Workspace = Answer<"readWorkspace">;
export type Settings = Answer<"readSettings">;
export type Model = Settings["models"][number];
export type Preset = Answer<"listPresets">["presets"][number];
export type PolicyCheck = Answer<"checkSettings">;
export type SearchHit = Answer<"search">["hits"][number];
type SummaryVersion = Answer<"listSummaries">["summaries"][number];
export type SummaryRecord = SummaryVersion["record"];
export type Summary = SummaryRecord & Pick<SummaryVersion, "isLive">;

export type Block =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  | { readonly type: "tool"; readonly call: ToolCall }
  | { readonly type: "image"; readonly url: string; readonly name: string }
  | { readonly type: "attachment"; readonly label: string };

export interface ToolCall {
  readonly callId: string;
  readonly tool: string;
  readonly input: string;
  /** Undefined until the tool has answered. */
  readonly output?: string | undefined;
  readonly failed: boolean;
}

/** A message as a row of the conversation. */
export interface ShownMessage {
  readonly id: string;
  /** Position in the log; undefined while the message is being sent or streamed. */
  readonly seq?: number | undefined;
  /** Position of the last tool result that is shown with it. */
  readonly lastSeq?: number | undefined;
  readonly role: Message["role"];
  readonly name?: string | undefined;
  readonly at?: number | undefined;
  readonly tokens?: number | undefined;
  readonly blocks: readonly Block[];
  readonly isErased: boolean;
}

/** A change to the model's view, at its position in the log. */
export interface Marker {
  readonly type: "summary" | "truncate" | "clear" | "prune";
  readonly id: string;
  readonly seq: number;
  readonly at: number;
  readonly reason: string;
  readonly summary?: SummaryRecord | undefined;
}

export type LogItem =
  | { readonly type: "message"; readonly message: ShownMessage }
  | { readonly type: "marker"; readonly marker: Marker };

/** An image of a message in the log. */
export interface StoredImage {
  readonly url: string;
  readonly name: string;
}

export function textOf({ blocks }: ShownMessage, separator = "\n"): string {
  return blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join(separator);
}

export function imagesOf({ blocks }: ShownMessage): readonly StoredImage[] {
  return blocks.flatMap((block) => (block.type === "image" ? [{ url: block.url, name: block.name }] : []));
}
