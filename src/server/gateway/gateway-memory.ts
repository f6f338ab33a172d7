/** What a gateway remembers of a tenant's conversations. All of it can be lost: the log has everything. */
import type { Palimpsest } from "../../engine/palimpsest.ts";
import { KnownConversations } from "./known-conversations.ts";

/** Maximum number of compacted conversations that are remembered. */
const MAX_COMPACTED = 10_000;

export class GatewayMemory {
  readonly conversations = new KnownConversations();
  /** Conversations that were compacted, by their beginning: the upstream may not take them whole. */
  readonly #compacted = new Set<string>();

  addCompacted(name: string): void {
    this.#compacted.add(name);
    const [oldest] = this.#compacted;
    if (this.#compacted.size > MAX_COMPACTED && oldest !== undefined) this.#compacted.delete(oldest);
  }

  wasCompacted(name: string): boolean {
    return this.#compacted.has(name);
  }
}

export function findMemory(memories: WeakMap<Palimpsest, GatewayMemory>, engine: Palimpsest): GatewayMemory {
  const memory = memories.get(engine) ?? new GatewayMemory();
  memories.set(engine, memory);
  return memory;
}
