/**
 * A process that writes to a store and prints acknowledgements as lines of JSON. It ends with its task unless a test
 * stops or kills it.
 */
import { flushCompileCache } from "node:module";
import { migrateToLaterSchema } from "../faults/later-schema.ts";
import { openPlace } from "../faults/place.ts";
import { writeEndlessly } from "./write-endlessly.ts";
import { writeAfterLeaseExpired, writeShare } from "./write-share.ts";
import { printLine, type WriterTask } from "./writer-task.ts";

export type { WriterLine, WriterTask } from "./writer-task.ts";

async function main(task: WriterTask): Promise<void> {
  // Otherwise the cache is written only at a clean exit.
  flushCompileCache();
  if (task.type === "migrate") return migrateToLaterSchema(task.place, printLine);
  const store = await openPlace(task.place);
  if (task.type === "endless") await writeEndlessly(store, task);
  if (task.type === "share") await writeShare(store, task);
  if (task.type === "zombie") await writeAfterLeaseExpired(store);
  await store.close();
}

if (import.meta.main) await main(JSON.parse(process.argv[2] ?? ""));
