/** Shapes that several handlers answer with. */
import type { Provider } from "../../core/prompt/provider.ts";
import type { SummaryRecord } from "../../core/summary/record/record.ts";
import type { Prompt } from "../../engine/prompt/prompt.ts";

export function renderFor(prompt: Prompt, provider: Provider | "ai-sdk"): object {
  return provider === "ai-sdk" ? prompt.forStreamText() : prompt.as(provider);
}

/** Leaves out the ids of the messages that a summary covers, which in a long log are larger than the summary. */
export function withoutIds({ messageIds: _ids, ...record }: SummaryRecord): Omit<SummaryRecord, "messageIds"> {
  return record;
}
