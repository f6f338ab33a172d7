/** A process that erases a message with many images, and kills itself while their files are removed. */
import { existsSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { openJsonlStore } from "../../src/stores/jsonl/jsonl-store.ts";
import { erase } from "../../src/testing/store-contract/contract-log.ts";

export interface ErasingTask {
  readonly folder: string;
  readonly messageIds: readonly string[];
  /** A file that exists while the images are removed. */
  readonly list: string;
  /** The image that is removed first. */
  readonly first: string;
}

async function main({ folder, messageIds, list, first }: ErasingTask): Promise<void> {
  const tenant = openJsonlStore({ folder }).tenant("local");
  void erase(tenant, messageIds);
  while (!existsSync(list) || existsSync(first)) await setImmediate();
  process.kill(process.pid, "SIGKILL");
}

if (import.meta.main) await main(JSON.parse(process.argv[2] ?? ""));
