/** A prompt that was handed out: what to send, in whichever shape, and the report of how it came about. */
import type { Meter } from "../../core/budget/budget.ts";
import type { PromptId, SectionChange, SessionId } from "../../core/log/entry.ts";
import type { Message } from "../../core/message/message.ts";
import type { Repair } from "../../core/message/repair.ts";
import type { Plan } from "../../core/plan/plan.ts";
import type { Provider } from "../../core/prompt/provider.ts";
import { type AiSdkPrompt, type RenderedPrompt, renderPrompt } from "../../core/prompt/render/render-prompt.ts";
import type { SectionName } from "../../core/sections/section.ts";
import type { CounterId } from "../../core/tokens/counter.ts";
import type { CompactionReport } from "../compaction/write-proposal.ts";
import type { ThinkingReport } from "../state/preserve-thinking.ts";
import type { WorkspaceReport } from "../workspace/describe-workspace.ts";

export interface NoteReport {
  /** `added`: kept for later prompts. `unchanged`: shown already, so not repeated. `once`: in this prompt only. */
  readonly state: "added" | "unchanged" | "once";
  /** Tokens that it adds to this prompt. */
  readonly tokens: number;
  /** With `once`: what that costs. */
  readonly cost?: string | undefined;
}

export interface PromptReport {
  readonly sessionId: SessionId;
  readonly promptId: PromptId;
  readonly epoch: number;
  /** Who counted, and whether that is the model's own tokenizer or an estimate. */
  readonly counter: { readonly id: CounterId; readonly exact: boolean; readonly factor: number };
  /** Tokens of the whole prompt by the counter, after the learned factor. */
  readonly tokens: number;
  readonly limitTokens: number;
  readonly windowTokens: number;
  readonly reserveTokens: number;
  /** How full the prompt is, of the window and of what is left of it for the conversation. */
  readonly meter: Meter;
  readonly sections: readonly { readonly name: SectionName; readonly tokens: number }[];
  /** What moved since the prompt before, the first section first. Empty when that prompt is a prefix of this one. */
  readonly changes: readonly SectionChange[];
  /** Blocks at the end that the next prompt will not have: stand-ins for results to come, and a note for this one only. */
  readonly volatileBlocks: number;
  /** What became of the notes that the prompt was asked with; undefined where there were none. */
  readonly note: NoteReport | undefined;
  /** The last one on the way to this prompt, written or made for it alone. */
  readonly compaction?: CompactionReport | undefined;
  /** All that were written on the way to it. */
  readonly compactions: readonly CompactionReport[];
  readonly repairs: readonly Repair[];
  /**
   * Thinking that was sent and that was left out, by reason. Undefined for models that take thinking back whatever
   * stands before it.
   */
  readonly thinking: ThinkingReport | undefined;
  readonly warnings: readonly string[];
  readonly policy: string;
  /** The live summary: a host that keeps results of its own attaches it to the message that it ends with. */
  readonly summary:
    | {
        readonly id: string;
        readonly depth: number;
        readonly throughMessageId: string;
        /** The message that opens the last round it stands for: the assistant's, where that made calls. */
        readonly toolCallRoundId: string;
        readonly text: string;
        /** Which model wrote it; absent where code did. */
        readonly model?: string | undefined;
      }
    | undefined;
  /** Laws that the policy relaxes, by name. */
  readonly relaxedLaws: readonly string[];
  /** What stands beside the conversation; undefined where there is nothing. */
  readonly workspace: WorkspaceReport | undefined;
  readonly plan: Plan;
}

export interface Prompt {
  readonly id: PromptId;
  /** Instructions with the system messages at the start of the conversation. */
  readonly instructions: string | undefined;
  /** AI SDK model messages. */
  readonly messages: AiSdkPrompt["messages"];
  readonly report: PromptReport;
  as<Name extends Provider>(provider: Name): RenderedPrompt<Name>;
  /** What `streamText` and `generateText` take. */
  forStreamText(): AiSdkPrompt;
}

export interface PromptContent {
  readonly instructions: string | undefined;
  readonly messages: readonly Message[];
  readonly breakpoints?: readonly number[] | undefined;
  readonly marksFor?: "anthropic" | "openai" | undefined;
  readonly marksText?: boolean | undefined;
  readonly cacheKey?: string | undefined;
}

export function createPrompt(content: PromptContent, report: PromptReport): Prompt {
  let rendered: AiSdkPrompt | undefined;
  const forStreamText = () => {
    rendered ??= renderPrompt({ ...content, provider: "ai-sdk" });
    return rendered;
  };
  return {
    id: report.promptId,
    get instructions() {
      const { instructions } = forStreamText();
      return typeof instructions === "object" ? instructions.content : instructions;
    },
    get messages() {
      return forStreamText().messages;
    },
    report,
    as: (provider) => renderPrompt({ ...content, provider }),
    forStreamText,
  };
}
