/**
 * The compactions of the current session as the document's `compactionEvent`, and the files that gave way to a prompt.
 * Those of other sessions are not told: a client takes the messages that come with one for what it shows.
 */

import type { EngineEvents, EventName, Listener } from "../../engine/context/events.ts";
import type { Palimpsest } from "../../engine/palimpsest.ts";
import { describeShed } from "../../engine/prompt/shed-files.ts";
import { onDocumentEvents } from "../document-events.ts";
import type { Notices } from "./notices.ts";

export interface CompactionTelling {
  readonly notices: Notices;
  readonly sessionId: () => string | undefined;
  /** The request that a client is waiting for, or the last that it made in this session. */
  readonly requestId: () => string | undefined;
  readonly selectedFiles: () => readonly string[];
}

/** Returns how to stop. */
export function tellCompactions(
  engine: Pick<Palimpsest, "on">,
  { notices, sessionId, requestId, selectedFiles }: CompactionTelling,
): () => void {
  const current = {
    on: <Name extends EventName>(name: Name, listener: Listener<Name>) =>
      engine.on(name, (event: EngineEvents[Name]) => {
        if ("sessionId" in event && event.sessionId === sessionId()) listener(event);
      }),
  };
  const stopCompactions = onDocumentEvents(current, "workspace", (name, promptId, event) => {
    notices.tell(name, { request_id: requestId() ?? promptId, event: { ...event } });
  });
  const stopShed = current.on("files-shed", ({ promptId, files }) => {
    const event = { stage: "files_shed", warning: describeShed(files), files };
    notices.tell("compactionEvent", { request_id: requestId() ?? promptId, event });
    notices.tell("filesChanged", { selected_files: selectedFiles() });
  });
  return () => {
    stopCompactions();
    stopShed();
  };
}
