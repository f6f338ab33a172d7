/**
 * The interface of a contestant of `bench turn-cost`: accept a message, return the prompt to send. The files in
 * `bench/peers/` implement it in plain JavaScript, because their types exist only once their own manifest is installed.
 * This file has types, and one function that reads prompts in all formats.
 */
export interface TurnMessage {
  readonly role: "user" | "assistant";
  readonly content: string;
}

export interface StartOptions {
  readonly budgetTokens: number;
  /** Tokens of every message, for contestants whose only limit is a number of messages. */
  readonly messageTokens: number;
  /** The messages before the first measured turn. Empty for contestants that get every message. */
  readonly history: readonly TurnMessage[];
}

export interface Contestant {
  readonly name: string;
  readonly version: string;
  /** Describes the timed call, and what a reader needs to know to judge the figures. */
  readonly note: string;
  /**
   * `every-message`: gets every message from the first, with a prompt each turn, because its state depends on its past.
   * `preloaded`: accepts an array, so it gets the history up to the measured size at the start.
   */
  readonly feeding: "every-message" | "preloaded";
  start(options: StartOptions): Promise<ContestantSession>;
}

export interface ContestantSession {
  /** Appends the message and returns the messages of the prompt. Only this is timed. */
  turn(message: TurnMessage): Promise<readonly PromptMessage[]>;
  /** How often the history was compacted so far, if the contestant reports it. */
  compactions?(): number;
}

/** The two forms of content that the measured libraries send: a string, or parts of which some have text. */
export interface PromptMessage {
  readonly content: unknown;
}

export function promptText(message: PromptMessage): string {
  const { content } = message;
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part: { readonly text?: unknown }) => (typeof part.text === "string" ? part.text : "")).join("");
}
