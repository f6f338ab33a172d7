/**
 * The reply that streams, of which there is one at a time. It is told as far as it has come, not piece by piece, at most
 * so often: a client that missed some has everything with the next.
 */
import type { Message } from "../../core/message/message.ts";
import { findLinks, MOST_LINKS } from "../../core/prompt/workspace/find-links.ts";
import type { Session } from "../../engine/session/session.ts";
import type { RpcParams, StreamResult, TokenUsage } from "../../protocol/rpc-methods.ts";
import type { Chats } from "../../server/chat/chats.ts";
import { RefusedRequest } from "../../server/http/answer-error.ts";
import type { Tenant } from "../../server/tenants/tenants.ts";
import { type ChatTurn, startChatTurn, type TurnOutcome } from "./chat-turn.ts";
import { addUsage, NO_USAGE, normaliseUsage } from "./normalise-usage.ts";
import type { Notices } from "./notices.ts";
import { WORKSPACE_EXTRAS } from "./write-records.ts";

/**
 * Between two tellings of one reply at least. All of it goes with each, so that many would cost the square of its length:
 * a long one is told of less often, at so many characters a millisecond at most.
 */
const CHUNK_MS = 40;
const CHARACTERS_PER_MS = 1_000;

export interface StreamsOptions {
  readonly tenant: Tenant;
  readonly notices: Notices;
  readonly chats: Chats;
  readonly onFailure: (error: unknown) => void;
}

type Asked = RpcParams<"chat_streaming">;

interface Active {
  readonly requestId: string;
  readonly sessionId: string;
  turn: ChatTurn | undefined;
  isCancelled: boolean;
}

interface Running {
  readonly session: Session;
  readonly asked: Asked;
  readonly rejectedFiles: readonly string[];
}

export class Streams {
  readonly #options: StreamsOptions;
  #active: Active | undefined;
  #last: Pick<Active, "requestId" | "sessionId"> | undefined;
  #ended: Promise<void> = Promise.resolve();
  #totals: TokenUsage = NO_USAGE;

  constructor(options: StreamsOptions) {
    this.#options = options;
  }

  get isActive(): boolean {
    return this.#active !== undefined;
  }

  /** Of replies since the server started. */
  get totals(): TokenUsage {
    return this.#totals;
  }

  requestIdOf(sessionId: string | undefined): string | undefined {
    return this.#last?.sessionId === sessionId ? this.#last?.requestId : undefined;
  }

  /**
   * Resolves when what was said is stored, after the files beside it were chosen. Refuses while another reply streams,
   * whoever asked for that.
   */
  async start(session: Session, asked: Asked, select: () => Promise<readonly string[]>): Promise<void> {
    const { request_id: requestId } = asked;
    if (this.#active !== undefined) throw alreadyActive(this.#active);
    const active: Active = { requestId, sessionId: session.id, turn: undefined, isCancelled: false };
    this.#active = active;
    let rejectedFiles: readonly string[] = [];
    const store = async () => {
      rejectedFiles = await select();
      await session.append(writeMessage(asked, session), { format: "palimpsest" });
    };
    try {
      const turn = await startChatTurn(this.#options.chats, {
        tenant: this.#options.tenant,
        session,
        store,
        before: () => this.#readLinks(session, asked),
      });
      active.turn = turn;
      if (active.isCancelled) turn.cancel();
      this.#last = active;
      this.#ended = this.#run(turn, { session, asked, rejectedFiles });
    } catch (error) {
      this.#active = undefined;
      throw error;
    }
  }

  cancel(requestId: string): boolean {
    const active = this.#active;
    if (active?.requestId !== requestId) return false;
    active.isCancelled = true;
    active.turn?.cancel();
    return true;
  }

  /** For whoever closes, after turns were ended: everybody has been told. */
  get ended(): Promise<void> {
    return this.#ended;
  }

  /** Never rejects: however it ends, everybody is told. */
  async #run(turn: ChatTurn, { session, asked, rejectedFiles }: Running): Promise<void> {
    const { notices, onFailure } = this.#options;
    const { request_id } = asked;
    let outcome: TurnOutcome;
    try {
      await this.#tellContents(turn, request_id);
      outcome = await turn.outcome();
    } catch (error) {
      onFailure(error);
      outcome = { type: "failed", text: "", reason: "Something went wrong here; the server's log has it." };
    }
    const usage = normaliseUsage(outcome.usage, outcome.text);
    this.#totals = addUsage(this.#totals, usage);
    this.#active = undefined;
    const result = writeResult(outcome, { sessionId: session.id, usage, rejectedFiles });
    notices.tell("streamComplete", { request_id, result });
  }

  async #tellContents({ contents }: ChatTurn, request_id: string): Promise<void> {
    const { notices } = this.#options;
    let toldAt = Number.NEGATIVE_INFINITY;
    let untold: string | undefined;
    for await (const content of contents) {
      untold =
        performance.now() - toldAt < Math.max(CHUNK_MS, content.length / CHARACTERS_PER_MS) ? content : undefined;
      if (untold !== undefined) continue;
      toldAt = performance.now();
      notices.tell("streamChunk", { request_id, content });
    }
    if (untold !== undefined) notices.tell("streamChunk", { request_id, content: untold });
  }

  /** Those who wait hear which pages are read. One that cannot be read is named, and the reply goes on without it. */
  async #readLinks(session: Session, { request_id, message }: Asked): Promise<void> {
    const tell = (event: Readonly<Record<string, string>>) =>
      this.#options.notices.tell("compactionEvent", { request_id, event });
    const known = session.workspace.links;
    const urls = findLinks(message, Number.POSITIVE_INFINITY).filter((url) => !known.includes(url));
    await Promise.all(
      urls.slice(0, MOST_LINKS).map(async (url) => {
        tell({ stage: "url_fetch", url });
        const error = await readLink(session, url);
        tell({ stage: "url_ready", url, ...(error === undefined ? {} : { error }) });
      }),
    );
  }
}

/** Why a page is not shown, where it is not. */
async function readLink({ workspace }: Session, url: string): Promise<string | undefined> {
  try {
    const outcome = await workspace.addLink(url);
    return outcome.type === "refused" ? outcome.reason : undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function alreadyActive({ requestId }: Active): RefusedRequest {
  const text = `A reply to ${JSON.stringify(requestId)} is under way; cancel it or wait for its end.`;
  return new RefusedRequest("stream-active", text, { details: { request_id: requestId } });
}

function writeMessage({ message, images }: Asked, { workspace }: Session): Omit<Message, "id"> {
  const files = [...workspace.files.paths];
  return {
    role: "user",
    parts: [...(message === "" ? [] : [{ type: "text" as const, text: message }]), ...(images ?? []).map(readImage)],
    ...(files.length === 0 ? {} : { extras: { [WORKSPACE_EXTRAS]: { files } } }),
  };
}

function readImage(uri: string): Message["parts"][number] {
  const [head = "", base64 = ""] = uri.split(",", 2);
  return { type: "image", source: { type: "data", base64 }, mediaType: head.slice("data:".length, -";base64".length) };
}

interface Written {
  readonly sessionId: string;
  readonly usage: TokenUsage;
  readonly rejectedFiles: readonly string[];
}

function writeResult({ type, text, reason }: TurnOutcome, { sessionId, usage, rejectedFiles }: Written): StreamResult {
  return {
    response: text,
    session_id: sessionId,
    token_usage: usage,
    files_modified: [],
    edit_results: [],
    rejected_files: rejectedFiles,
    ...(type === "cancelled" ? { cancelled: true } : {}),
    ...(type === "failed" ? { error: reason ?? "The reply ended before it was whole." } : {}),
  };
}
