/** The streaming reply of a tenant, one at a time. Each notice has the whole text so far; their rate is limited. */
import type { Message } from "../../core/message/message.ts";
import { findLinks, MAX_LINKS } from "../../core/prompt/workspace/find-links.ts";
import type { Session } from "../../engine/session/session.ts";
import type { RpcParams, TokenUsage } from "../../protocol/rpc-methods.ts";
import type { Chats } from "../../server/chat/chats.ts";
import { RefusedRequest } from "../../server/http/answer-error.ts";
import type { Tenant } from "../../server/tenants/tenants.ts";
import {
  addTokenUsage,
  type ChatTurn,
  NO_USAGE,
  normalizeUsage,
  startChatTurn,
  type TurnOutcome,
} from "./chat-turn.ts";
import type { Notices } from "./notices.ts";
import { WORKSPACE_EXTRAS } from "./write-records.ts";

/**
 * Shortest time between two notices of a reply. Each contains the whole text, so the cost would be quadratic: a long
 * reply is sent less often, at most this many characters per millisecond.
 */
const CHUNK_MS = 40;
const CHARACTERS_PER_MS = 1_000;

export interface StreamsOptions {
  readonly tenant: Tenant;
  readonly notices: Notices;
  readonly chats: Chats;
  readonly onFailure: (error: unknown) => void;
}

type StreamRequest = RpcParams<"chat_streaming">;

interface ActiveStream {
  readonly requestId: string;
  readonly sessionId: string;
  turn: ChatTurn | undefined;
  isCanceled: boolean;
}

export class Streams {
  readonly #options: StreamsOptions;
  #active: ActiveStream | undefined;
  #last: Pick<ActiveStream, "requestId" | "sessionId"> | undefined;
  #ended: Promise<void> = Promise.resolve();
  #totals: TokenUsage = NO_USAGE;

  constructor(options: StreamsOptions) {
    this.#options = options;
  }

  get isActive(): boolean {
    return this.#active !== undefined;
  }

  /** Usage of all replies since the server started. */
  get totals(): TokenUsage {
    return this.#totals;
  }

  requestIdOf(sessionId: string | undefined): string | undefined {
    return this.#last?.sessionId === sessionId ? this.#last?.requestId : undefined;
  }

  /** Resolves when the files are selected and the message is stored. Throws while another reply is streaming. */
  async start(session: Session, request: StreamRequest, select: () => Promise<readonly string[]>): Promise<void> {
    const { request_id: requestId } = request;
    if (this.#active !== undefined) throw refuseSecondStream(this.#active);
    const active: ActiveStream = { requestId, sessionId: session.id, turn: undefined, isCanceled: false };
    this.#active = active;
    let rejectedFiles: readonly string[] = [];
    const storeMessage = async () => {
      rejectedFiles = await select();
      await session.append(createUserMessage(request, session), { format: "palimpsest" });
    };
    try {
      const { chats, tenant } = this.#options;
      const beforeModel = () => this.#readLinks(session, request);
      const turn = await startChatTurn(chats, tenant, { session, storeMessage, beforeModel });
      active.turn = turn;
      if (active.isCanceled) turn.cancel();
      this.#last = active;
      this.#ended = this.#run(turn, active, rejectedFiles);
    } catch (error) {
      this.#active = undefined;
      throw error;
    }
  }

  cancel(requestId: string): boolean {
    const active = this.#active;
    if (active?.requestId !== requestId) return false;
    active.isCanceled = true;
    active.turn?.cancel();
    return true;
  }

  /** Resolves when clients have received the end of the last reply. */
  get ended(): Promise<void> {
    return this.#ended;
  }

  /** Never rejects: clients get the outcome, whatever it is. */
  async #run(turn: ChatTurn, active: ActiveStream, rejectedFiles: readonly string[]): Promise<void> {
    const { notices, onFailure } = this.#options;
    const { requestId, sessionId } = active;
    let outcome: TurnOutcome;
    try {
      await this.#sendContents(turn, requestId);
      outcome = await turn.outcome();
    } catch (error) {
      onFailure(error);
      outcome = { type: "failed", text: "", reason: "Something went wrong. The server's log has the error." };
    }
    const usage = normalizeUsage(outcome.usage, outcome.text);
    this.#totals = addTokenUsage(this.#totals, usage);
    this.#active = undefined;
    const result = { session_id: sessionId, token_usage: usage, rejected_files: rejectedFiles };
    notices.send("streamComplete", { request_id: requestId, result: { ...createStreamResult(outcome), ...result } });
  }

  async #sendContents({ contents }: ChatTurn, request_id: string): Promise<void> {
    const { notices } = this.#options;
    let sentAt = Number.NEGATIVE_INFINITY;
    let unsent: string | undefined;
    for await (const content of contents) {
      unsent =
        performance.now() - sentAt < Math.max(CHUNK_MS, content.length / CHARACTERS_PER_MS) ? content : undefined;
      if (unsent !== undefined) continue;
      sentAt = performance.now();
      notices.send("streamChunk", { request_id, content });
    }
    if (unsent !== undefined) notices.send("streamChunk", { request_id, content: unsent });
  }

  /** Reads the linked pages and notifies clients. A page that cannot be read is reported, and the reply continues. */
  async #readLinks(session: Session, { request_id, message }: StreamRequest): Promise<void> {
    const notify = (event: Readonly<Record<string, string>>) =>
      this.#options.notices.send("compactionEvent", { request_id, event });
    const known = session.workspace.links;
    const urls = findLinks(message, Number.POSITIVE_INFINITY).filter((url) => !known.includes(url));
    await Promise.all(
      urls.slice(0, MAX_LINKS).map(async (url) => {
        notify({ stage: "url_fetch", url });
        const error = await readLinkText(session, url);
        notify({ stage: "url_ready", url, ...(error === undefined ? {} : { error }) });
      }),
    );
  }
}

async function readLinkText({ workspace }: Session, url: string): Promise<string | undefined> {
  try {
    const outcome = await workspace.addLink(url);
    return outcome.type === "refused" ? outcome.reason : undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function refuseSecondStream({ requestId }: ActiveStream): RefusedRequest {
  const text = `A reply to ${JSON.stringify(requestId)} is already running. Cancel it, or wait until it ends.`;
  return new RefusedRequest("stream-active", text, { details: { request_id: requestId } });
}

function createUserMessage({ message, images }: StreamRequest, { workspace }: Session): Omit<Message, "id"> {
  const files = [...workspace.files.paths];
  return {
    role: "user",
    parts: [
      ...(message === "" ? [] : [{ type: "text" as const, text: message }]),
      ...(images ?? []).map(decodeDataUri),
    ],
    ...(files.length === 0 ? {} : { extras: { [WORKSPACE_EXTRAS]: { files } } }),
  };
}

function decodeDataUri(uri: string): Message["parts"][number] {
  const [head = "", base64 = ""] = uri.split(",", 2);
  return { type: "image", source: { type: "data", base64 }, mediaType: head.slice("data:".length, -";base64".length) };
}

function createStreamResult({ type, text, reason }: TurnOutcome) {
  return {
    ...{ response: text, files_modified: [], edit_results: [] },
    ...(type === "cancelled" ? { cancelled: true } : {}),
    ...(type === "failed" ? { error: reason ?? "The reply ended before it was complete." } : {}),
  };
}
