/**
 * What `bench turn-cost` asks of everybody it measures, us included: take a message, hand back the prompt that would be
 * sent. The files in `bench/peers/` keep to the same shape in plain JavaScript, because their types are only there once
 * their own manifest is installed. This file holds types and the one question about prompts that all shapes answer.
 */
export interface TurnMessage {
  readonly role: "user" | "assistant";
  readonly content: string;
}

export interface StartOptions {
  readonly budgetTokens: number;
  /** Tokens of every message of the conversation, for those who can only be told a number of messages. */
  readonly messageTokens: number;
  /** What was said before the first measured turn. Empty for contestants that are fed every message. */
  readonly history: readonly TurnMessage[];
}

export interface Contestant {
  readonly name: string;
  readonly version: string;
  /** The call that is timed, in words, and what a reader must know to judge the figures. */
  readonly note: string;
  /**
   * `every-message`: fed from the first message on, a prompt each turn, because its state depends on how it got there.
   * `preloaded`: takes an array, so the history up to the measured size is handed over at the start.
   */
  readonly feeding: "every-message" | "preloaded";
  start(options: StartOptions): Promise<ContestantSession>;
}

export interface ContestantSession {
  /** Appends the message and gives the messages of the prompt. Only this is timed. */
  turn(message: TurnMessage): Promise<readonly PromptMessage[]>;
  /** How often the history was compacted so far, where the contestant does that and says so. */
  compactions?(): number;
}

/** The two shapes of content that the measured libraries send: a string, or parts of which some have text. */
export interface PromptMessage {
  readonly content: unknown;
}

export function promptText(message: PromptMessage): string {
  const { content } = message;
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part: { readonly text?: unknown }) => (typeof part.text === "string" ? part.text : "")).join("");
}
