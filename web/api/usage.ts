/** What a conversation has taken so far: by model, for summaries, and answer by answer. */
import { client } from "./client.ts";
import { type Fields, findNumber, findText, readFields, readList, readNumber, readText } from "./fields.ts";

export interface Use {
  readonly model?: string | undefined;
  /** All that was read, from a cache or not. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  /** Undefined where the price is not known. */
  readonly costUsd?: number | undefined;
}

export interface ModelUse extends Use {
  readonly answers: number;
  /** Those of them that no provider reported figures of. */
  readonly estimated: number;
}

export interface AnswerUse extends Use {
  readonly messageId: string;
  readonly seq: number;
  readonly at: number;
  readonly isEstimate: boolean;
}

export interface SessionUsage {
  readonly models: readonly ModelUse[];
  readonly summaries: { readonly count: number; readonly costUsd: number };
  readonly costUsd: number;
  readonly isExact: boolean;
  /** Answers whose price is not known. */
  readonly unpriced: number;
  /** Oldest first; those that a fork inherits are told in the conversation that it left. */
  readonly newest: readonly AnswerUse[];
  /** The conversation that this one left, which has answered and paid what was said before. */
  readonly inheritedFrom?: string | undefined;
}

export async function loadUsage(id: string, newest: number, signal?: AbortSignal): Promise<SessionUsage> {
  const usage = readFields(await client.readUsage({ params: { id }, query: { newest }, signal }));
  const { count, costUsd } = readFields(usage.summaries);
  const inheritedFrom = findText(readFields(usage.inherited).sessionId);
  return {
    models: readList(usage.models).map((value) => {
      const fields = readFields(value);
      return { ...readUse(fields), answers: readNumber(fields.answers), estimated: readNumber(fields.estimated) };
    }),
    summaries: { count: readNumber(count), costUsd: readNumber(costUsd) },
    costUsd: readNumber(usage.costUsd),
    isExact: usage.isExact === true,
    inheritedFrom,
    unpriced: readNumber(usage.unpriced),
    newest: readList(usage.newest).map((value) => {
      const fields = readFields(value);
      const place = { messageId: readText(fields.messageId), seq: readNumber(fields.seq), at: readNumber(fields.at) };
      return { ...readUse(fields), ...place, isEstimate: fields.isEstimate === true };
    }),
  };
}

function readUse(fields: Fields): Use {
  return {
    model: findText(fields.model),
    inputTokens: readNumber(fields.inputTokens),
    outputTokens: readNumber(fields.outputTokens),
    cacheReadTokens: readNumber(fields.cacheReadTokens),
    costUsd: findNumber(fields.costUsd),
  };
}
