/** A turn of the chat as JSON-RPC reports it: the whole text so far, repeatedly, its outcome and its usage. */
import type { TokenFigures } from "../../core/log/cache-use.ts";
import type { TokenUsage } from "../../protocol/rpc-methods.ts";
import type { AnswerRequest, Chats, RunningTurn } from "../../server/chat/chats.ts";
import type { Tenant } from "../../server/tenants/tenants.ts";

export interface ChatTurn {
  /** Yields the whole text so far whenever it grows. Never throws; `outcome` says how the turn ended. */
  readonly contents: AsyncIterable<string>;
  /** Resolves after `contents` has ended and the output is stored. */
  outcome(): Promise<TurnOutcome>;
  /** Stops the turn. The policy decides whether the output is kept. */
  cancel(): void;
}

export interface TurnOutcome {
  readonly type: "completed" | "cancelled" | "failed";
  /** The stored text, with a marker if it was canceled. */
  readonly text: string;
  readonly usage?: TokenFigures | undefined;
  /** Why the turn failed, for the user. */
  readonly reason?: string | undefined;
}

const TYPES = { ended: "completed", failed: "failed", stopped: "cancelled" } as const;

export async function startChatTurn(chats: Chats, tenant: Tenant, request: AnswerRequest): Promise<ChatTurn> {
  const turn = await chats.answer(tenant, request);
  const reply = new ReplyText();
  return {
    contents: readContents(turn, reply),
    async outcome() {
      const { type, metadata } = await turn.done;
      return { type: TYPES[type], text: reply.text, usage: metadata.usage, reason: reply.error };
    },
    cancel() {
      turn.stop("cancelled");
    },
  };
}

async function* readContents({ stream }: RunningTurn, reply: ReplyText): AsyncGenerator<string> {
  // The stream ends by itself, so the signal is never aborted.
  for await (const chunks of stream.read(new AbortController().signal)) {
    const before = reply.text;
    for (const chunk of chunks) reply.add(chunk);
    if (reply.text !== before) yield reply.text;
  }
}

type Chunk = RunningTurn["stream"] extends { since(index: number): readonly (infer Each)[] } ? Each : never;

/** The text of a reply from its chunks. A step that is reset loses its text. */
class ReplyText {
  text = "";
  error: string | undefined;
  #stepStart = 0;

  add(chunk: Chunk): void {
    switch (chunk.type) {
      case "start-step":
        this.#stepStart = this.text.length;
        break;
      case "text-start":
        if (this.text !== "") this.text += "\n";
        break;
      case "text-delta":
        this.text += chunk.delta;
        break;
      case "reset-step":
        this.text = this.text.slice(0, this.#stepStart);
        break;
      case "error":
        this.error = chunk.errorText;
        break;
      default:
    }
  }
}

/** Estimate for a reply without reported usage. */
const CHARACTERS_PER_TOKEN = 4;

export const NO_USAGE: TokenUsage = {
  prompt_tokens: 0,
  completion_tokens: 0,
  total_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  is_estimated: false,
};

/** Writes usage under the document's names and estimates what the provider leaves out. */
export function normalizeUsage(usage: TokenFigures | undefined, reply: string): TokenUsage {
  const { inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage ?? {};
  // A reply with text and zero output tokens has no reported usage.
  const isEstimated = outputTokens === 0 && reply !== "";
  const completion = isEstimated ? Math.ceil(reply.length / CHARACTERS_PER_TOKEN) : outputTokens;
  return {
    prompt_tokens: inputTokens,
    completion_tokens: completion,
    total_tokens: inputTokens + completion,
    cache_read_tokens: cacheReadTokens,
    cache_write_tokens: cacheWriteTokens,
    is_estimated: isEstimated,
  };
}

export function addTokenUsage(sum: TokenUsage, usage: TokenUsage): TokenUsage {
  return {
    prompt_tokens: sum.prompt_tokens + usage.prompt_tokens,
    completion_tokens: sum.completion_tokens + usage.completion_tokens,
    total_tokens: sum.total_tokens + usage.total_tokens,
    cache_read_tokens: sum.cache_read_tokens + usage.cache_read_tokens,
    cache_write_tokens: sum.cache_write_tokens + usage.cache_write_tokens,
    is_estimated: sum.is_estimated || usage.is_estimated,
  };
}
