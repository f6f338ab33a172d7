/** What JSON-RPC holds for every tenant that was asked for, each opened once. */
import type { Tenant } from "../../server/tenants/tenants.ts";
import { RpcContext, type RpcParts } from "./rpc-context.ts";

export class RpcContexts {
  readonly #parts: RpcParts;
  readonly #opened = new Map<Tenant, Promise<RpcContext>>();

  constructor(parts: RpcParts) {
    this.#parts = parts;
  }

  find(tenant: Tenant): Promise<RpcContext> {
    const known = this.#opened.get(tenant);
    if (known !== undefined) return known;
    const opening = RpcContext.open(tenant, this.#parts);
    this.#opened.set(tenant, opening);
    return opening;
  }

  /** Resolves when everybody has been told of the ends of replies; it ends none. */
  async settle(): Promise<void> {
    await Promise.all([...this.#opened.values()].map(async (opening) => (await opening).streams.ended));
  }

  async close(): Promise<void> {
    for (const opening of this.#opened.values()) (await opening).close();
    this.#opened.clear();
  }
}
