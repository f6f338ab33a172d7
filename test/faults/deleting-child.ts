/** A process that deletes a session, and kills itself some turns of the event loop after the session is hidden. */
import { setImmediate } from "node:timers/promises";
import { openPlace, type Place } from "./place.ts";

export interface DeletingTask {
  readonly place: Place;
  readonly id: string;
  readonly turns: number;
}

async function main({ place, id, turns }: DeletingTask): Promise<void> {
  const tenant = (await openPlace(place)).tenant("local");
  const deletion = tenant.deleteSession(id);
  void deletion.then(() => process.stdout.write(`${JSON.stringify({ type: "deleted" })}\n`));
  while ((await tenant.findSession(id)) !== undefined) await setImmediate();
  for (let turn = 0; turn < turns; turn += 1) await setImmediate();
  process.kill(process.pid, "SIGKILL");
}

if (import.meta.main) await main(JSON.parse(process.argv[2] ?? ""));
