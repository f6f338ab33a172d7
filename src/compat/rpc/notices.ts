/** What every connected client of one tenant is told. Whoever is too slow for it is the connection's business. */
import type { RpcNotices } from "../../protocol/rpc-methods.ts";

export type NoticeName = keyof RpcNotices;

export interface Notice<Name extends NoticeName = NoticeName> {
  readonly method: Name;
  readonly params: RpcNotices[Name];
  /** The next of its kind says everything that this one says. */
  readonly isReplaceable: boolean;
}

export class Notices {
  readonly #listeners = new Set<(notice: Notice) => void>();

  get listeners(): number {
    return this.#listeners.size;
  }

  tell<Name extends NoticeName>(method: Name, params: RpcNotices[Name]): void {
    const notice = { method, params, isReplaceable: method === "streamChunk" };
    for (const listener of this.#listeners) listener(notice);
  }

  /** Returns how to stop listening. */
  listen(listener: (notice: Notice) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
