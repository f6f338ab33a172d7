/**
 * The interface of a contestant of `bench chain`: play a conversation turn by turn, compact when it gets long, and let
 * the bench read what the model would see. The files in `bench/peers/` implement it in plain JavaScript. This file has
 * only types.
 */
import type { JsonObject } from "../../src/core/public/index.ts";

/** One tool call and its result. */
export interface ChainStep {
  readonly remark: string;
  readonly tool: string;
  readonly input: JsonObject;
  readonly output: string;
}

/** A request, the work on it, and the answer. A turn without tools has no steps. */
export interface ChainTurn {
  readonly request: string;
  readonly steps: readonly ChainStep[];
  readonly answer: string;
}

export interface ChainOptions {
  /** Address of the scripted model, in OpenAI's chat format; undefined if no model may be called. */
  readonly modelUrl: string | undefined;
  /** The history is compacted above this size, by the contestant's own counter. */
  readonly triggerTokens: number;
  /** Tokens that stay verbatim. */
  readonly keepTokens: number;
  /** The tools that the turns use. */
  readonly tools: readonly string[];
  /** Returns the result of the tool that the model has just called. */
  nextOutput(): string;
}

export interface ChainContestant {
  readonly name: string;
  readonly version: string;
  readonly note: string;
  start(options: ChainOptions): Promise<ChainSession>;
}

export interface ChainSession {
  turn(turn: ChainTurn): Promise<void>;
  /**
   * The text of the first prompt after each compaction, in order. Only for contestants that do not call the model
   * themselves; the prompts of the others are read from their requests.
   */
  promptsAfterCompaction?(): readonly string[];
  /** Returns the text of the prompt that a question would get now. Changes nothing. */
  promptFor?(question: string): Promise<string>;
  /** Evicted facts, as the contestant reports them. */
  evictions?(): readonly string[];
  close?(): Promise<void>;
}
