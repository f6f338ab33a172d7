/** A turn of the chat as JSON-RPC tells of it: the words so far, again and again, and how it ended. */
import type { Session } from "../../engine/session/session.ts";
import type { Chats, RunningTurn } from "../../server/chat/chats.ts";
import type { TurnUsage } from "../../server/chat/turn-metadata.ts";
import type { Tenant } from "../../server/tenants/tenants.ts";

export interface ChatTurn {
  /** All that was said so far, each time that there is more of it. It never throws; how it ended is `outcome`. */
  readonly contents: AsyncIterable<string>;
  /** After `contents` has ended: what came is stored. */
  outcome(): Promise<TurnOutcome>;
  /** What came is kept as the policy says. */
  cancel(): void;
}

export interface TurnOutcome {
  readonly type: "completed" | "cancelled" | "failed";
  /** As it is stored, with its marker where it was cancelled. */
  readonly text: string;
  readonly usage?: TurnUsage | undefined;
  /** Why it failed, in words for whoever asked. */
  readonly reason?: string | undefined;
}

export interface TurnRequest {
  readonly tenant: Tenant;
  readonly session: Session;
  /** Called when no other reply of the session is under way. */
  readonly store: () => Promise<unknown>;
  /** Waited for before the model is asked. It never rejects. */
  readonly before: () => Promise<void>;
}

const TYPES = { ended: "completed", failed: "failed", stopped: "cancelled" } as const;

/** Resolves when what was said is stored. */
export async function startChatTurn(chats: Chats, request: TurnRequest): Promise<ChatTurn> {
  const turn = await chats.answer(request.tenant, request);
  const words = new ReplyWords();
  return {
    contents: readContents(turn, words),
    async outcome() {
      const { type, metadata } = await turn.done;
      return { type: TYPES[type], text: words.text, usage: metadata.usage, reason: words.error };
    },
    cancel() {
      turn.stop("cancelled");
    },
  };
}

async function* readContents({ stream }: RunningTurn, words: ReplyWords): AsyncGenerator<string> {
  // A stream that ends by itself needs nobody to end it.
  for await (const chunks of stream.read(new AbortController().signal)) {
    const before = words.text;
    for (const chunk of chunks) words.add(chunk);
    if (words.text !== before) yield words.text;
  }
}

type Chunk = RunningTurn["stream"] extends { since(index: number): readonly (infer Each)[] } ? Each : never;

/** The words of a reply from its chunks; a step that is begun anew takes its words back. */
class ReplyWords {
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
      // What else a reply is made of is not told in words.
    }
  }
}
