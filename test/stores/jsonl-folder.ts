/** Folders and messages for tests of the JSONL store. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EntryDraft, MessageDraft } from "../../src/core/log/entry.ts";
import { EMPTY_HEAD } from "../../src/core/log/head.ts";
import { hashMessage } from "../../src/core/message/hash-message.ts";
import type { Message, Part } from "../../src/core/message/message.ts";
import type { TenantStore } from "../../src/ports/store.ts";
import {
  type JsonlStore,
  type JsonlStoreOptions,
  type JsonlWarning,
  openJsonlStore,
} from "../../src/stores/jsonl/jsonl-store.ts";

export class TestFolder {
  readonly path = mkdtempSync(join(tmpdir(), "palimpsest-jsonl-"));
  readonly warnings: JsonlWarning[] = [];
  readonly #stores: JsonlStore[] = [];

  open(options: Partial<JsonlStoreOptions> = {}): JsonlStore {
    const onWarning = (warning: JsonlWarning) => this.warnings.push(warning);
    const store = openJsonlStore({ folder: this.path, fsync: "never", onWarning, ...options });
    this.#stores.push(store);
    return store;
  }

  /** Lists the files whose names end in `ending`, in all folders. */
  files(ending: string): readonly string[] {
    const names = readdirSync(this.path, { recursive: true, encoding: "utf8" });
    return names.filter((name) => name.endsWith(ending)).map((name) => join(this.path, name));
  }

  /** Returns the only file whose name ends in `ending`. */
  file(ending: string): string {
    const [path, ...others] = this.files(ending);
    if (path === undefined || others.length > 0) throw new TypeError(`Not one file with ${ending}.`);
    return path;
  }

  /** Removes all indexes, as a user may do at any time while no store is open. */
  removeIndex(): void {
    for (const path of this.files("").filter((name) => /index\.db(?:-wal|-shm)?$/.test(name))) rmSync(path);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const store of this.#stores) await store.close();
    rmSync(this.path, { recursive: true, force: true });
  }
}

export function aDraft(id: string, parts: string | readonly Part[], more: Partial<Message> = {}): MessageDraft {
  const messageParts = typeof parts === "string" ? [{ type: "text", text: parts } as const] : parts;
  const message: Message = { id, role: "user", parts: messageParts, ...more };
  return { type: "message", id, at: 0, tokens: {}, message, hash: hashMessage(message) };
}

export async function aSession(store: JsonlStore, id = "s"): Promise<TenantStore> {
  const tenant = store.tenant("local");
  await tenant.createSession({ id, createdAt: 0 }, EMPTY_HEAD);
  return tenant;
}

export async function appendDrafts(tenant: TenantStore, ...drafts: readonly EntryDraft[]): Promise<void> {
  const outcome = await tenant.append("s", { entries: drafts });
  if (outcome.type !== "appended") throw new TypeError(`Not appended: ${outcome.type}`);
}

export async function idsOf(tenant: TenantStore, id = "s"): Promise<readonly string[]> {
  return (await tenant.readEntries(id, {})).map((entry) => entry.id);
}
