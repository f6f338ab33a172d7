/** Notices to every connected client of a tenant. Connections handle clients that are too slow. */
import type { EngineEvents, EventName, Listener } from "../../engine/context/events.ts";
import type { Palimpsest } from "../../engine/palimpsest.ts";
import { describeShedFiles } from "../../engine/prompt/shed-files.ts";
import type { RpcNotices } from "../../protocol/rpc-methods.ts";
import { onDocumentEvents } from "../documents/document-events.ts";

export type NoticeName = keyof RpcNotices;

export interface Notice<Name extends NoticeName = NoticeName> {
  readonly method: Name;
  readonly params: RpcNotices[Name];
  /** True if the next notice of its kind contains this one. */
  readonly isReplaceable: boolean;
}

export class Notices {
  readonly #listeners = new Set<(notice: Notice) => void>();

  get listeners(): number {
    return this.#listeners.size;
  }

  send<Name extends NoticeName>(method: Name, params: RpcNotices[Name]): void {
    const notice = { method, params, isReplaceable: method === "streamChunk" };
    for (const listener of this.#listeners) listener(notice);
  }

  /** Returns a function that stops listening. */
  listen(listener: (notice: Notice) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

interface CompactionReport {
  readonly notices: Notices;
  readonly sessionId: () => string | undefined;
  /** Returns the running request, or the last one in this session. */
  readonly requestId: () => string | undefined;
  readonly selectedFiles: () => readonly string[];
}

/**
 * Sends the compactions of the current session as `compactionEvent`, and the files that were removed from a prompt.
 * Clients replace their messages with those of the event, so other sessions are left out. Returns a function that stops
 * it.
 */
export function reportCompactions(
  engine: Pick<Palimpsest, "on">,
  { notices, sessionId, requestId, selectedFiles }: CompactionReport,
): () => void {
  const current = {
    on: <Name extends EventName>(name: Name, listener: Listener<Name>) =>
      engine.on(name, (event: EngineEvents[Name]) => {
        if ("sessionId" in event && event.sessionId === sessionId()) listener(event);
      }),
  };
  const stopCompactions = onDocumentEvents(current, "workspace", (name, promptId, event) => {
    notices.send(name, { request_id: requestId() ?? promptId, event: { ...event } });
  });
  const stopShed = current.on("files-shed", ({ promptId, files }) => {
    const event = { stage: "files_shed", warning: describeShedFiles(files), files };
    notices.send("compactionEvent", { request_id: requestId() ?? promptId, event });
    notices.send("filesChanged", { selected_files: selectedFiles() });
  });
  return () => {
    stopCompactions();
    stopShed();
  };
}
