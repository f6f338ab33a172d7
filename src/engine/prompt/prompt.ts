/** A prompt: the content to send, in any provider's format, and the report of how it was made. */
import type { Meter } from "../../core/budget/budget.ts";
import type { PromptId, RecalledMessage, SectionChange, SessionId } from "../../core/log/entry.ts";
import type { CompactionProvider } from "../../core/message/provider-compaction.ts";
import type { Repair } from "../../core/message/repair.ts";
import type { Plan } from "../../core/plan/plan.ts";
import type { Provider } from "../../core/prompt/provider.ts";
import { type LangChainPrompt, renderLangChain } from "../../core/prompt/render/render-langchain.ts";
import { type AiSdkPrompt, type RenderedPrompt, renderPrompt } from "../../core/prompt/render/render-prompt.ts";
import type { PromptSource } from "../../core/prompt/render/split-system.ts";
import type { SectionName } from "../../core/sections/section.ts";
import type { CounterId } from "../../core/tokens/counter.ts";
import type { CompactionReport } from "../compaction/compact-now.ts";
import type { ThinkingReport } from "../state/preserve-thinking.ts";
import type { WorkspaceReport } from "../workspace/workspace-content.ts";

export interface NoteReport {
  /** `added`: kept for later prompts. `unchanged`: shown already, so not repeated. `once`: in this prompt only. */
  readonly state: "added" | "unchanged" | "once";
  readonly tokens: number;
  /** With `once`: an explanation of its cost. */
  readonly cost?: string | undefined;
}

export interface RecalledReport {
  /** The block as the model reads it. */
  readonly text: string;
  readonly passages: readonly RecalledMessage[];
  readonly tokens: number;
}

/** How a prompt uses a compaction that a provider wrote. */
export interface ProviderCompactionReport {
  readonly by: CompactionProvider;
  readonly messageId: string;
  /** `first`: requests to its provider begin with it. `in-place`: they have the messages before it too. */
  readonly place: "first" | "in-place";
}

/** How a prompt was made: tokens by section, compactions, changes since the last prompt, warnings, and the plan. */
export interface PromptReport {
  readonly sessionId: SessionId;
  readonly promptId: PromptId;
  readonly epoch: number;
  /** The counter, and whether it is the model's own tokenizer or an estimate. */
  readonly counter: { readonly id: CounterId; readonly exact: boolean; readonly factor: number };
  /** Tokens of the whole prompt by the counter, after the learned factor. */
  readonly tokens: number;
  readonly limitTokens: number;
  readonly windowTokens: number;
  readonly reserveTokens: number;
  /** Fullness relative to the window, and to the part left for the conversation. */
  readonly meter: Meter;
  readonly sections: readonly { readonly name: SectionName; readonly tokens: number }[];
  /** Sections that changed since the last prompt, in order. Empty if that prompt is a prefix of this one. */
  readonly changes: readonly SectionChange[];
  /** Blocks at the end that the next prompt will not have there: stand-ins, and notes after them or for one prompt. */
  readonly volatileBlocks: number;
  /** Passages of hidden messages that this prompt quotes after the newest message; undefined for none. */
  readonly recalled: RecalledReport | undefined;
  /** The fate of the request's note; undefined without one. */
  readonly note: NoteReport | undefined;
  readonly compaction?: CompactionReport | undefined;
  readonly compactions: readonly CompactionReport[];
  /** The newest compaction that a provider wrote; undefined for none. */
  readonly providerCompaction: ProviderCompactionReport | undefined;
  readonly repairs: readonly Repair[];
  /** Thinking that is sent or left out, by reason. Undefined for models that do not bind thinking. */
  readonly thinking: ThinkingReport | undefined;
  readonly warnings: readonly string[];
  readonly policy: string;
  /** The live summary, for hosts that store it with the last message that it covers. */
  readonly summary:
    | {
        readonly id: string;
        readonly depth: number;
        readonly throughMessageId: string;
        /** Id of the first message of the last round that the summary covers. */
        readonly toolCallRoundId: string;
        readonly text: string;
        readonly model?: string | undefined;
      }
    | undefined;
  readonly relaxedLaws: readonly string[];
  readonly workspace: WorkspaceReport | undefined;
  readonly plan: Plan;
}

/** A prompt: the content to send, in any provider's format, and a report of how it was made. */
export interface Prompt {
  readonly id: PromptId;
  /** Instructions with the system messages at the start of the conversation. */
  readonly instructions: string | undefined;
  readonly messages: AiSdkPrompt["messages"];
  readonly report: PromptReport;
  as<Name extends Provider>(provider: Name): RenderedPrompt<Name>;
  /** The arguments of `streamText` and `generateText`. */
  forStreamText(): AiSdkPrompt;
  /** Plain messages for LangChain's chat models. `palimpsest/langchain` turns them into instances. */
  forLangChain(): LangChainPrompt;
}

export function createPrompt(content: PromptSource, report: PromptReport): Prompt {
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
    forLangChain: () => renderLangChain(content),
  };
}
