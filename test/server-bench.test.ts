/** The load tool of `bench server` checks every acknowledged message, so it would report a loss. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { countInLog, runLoad } from "../bench/server/run-load.ts";
import { startServer } from "../bench/server/start-process.ts";
import { atExit } from "../bench/shared/at-exit.ts";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-server-bench-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("requests of the load tool are answered without an error, and every acknowledged message is in the log", async () => {
  let [store, loaded] = await load(0.2);
  // A busy machine may answer nothing in this time.
  for (let seconds = 1; loaded.requests === 0 && seconds <= 64; seconds *= 4) [store, loaded] = await load(seconds);
  expect(loaded).toMatchObject({ errors: 0 });
  expect(loaded.requests).toBeGreaterThan(0);
  const counted = await countInLog(store, loaded);
  expect(counted).toMatchObject({ lost: 0, doubled: 0 });
  expect(counted.acknowledged).toBeGreaterThanOrEqual(loaded.requests);
  const [sessionId = "", kept = []] = Object.entries(loaded.acknowledged)[0] ?? [];
  const invented = { acknowledged: { [sessionId]: [...kept, "never-said"] } };
  expect(await countInLog(store, invented)).toMatchObject({ lost: 1 });
});

test("one exit listener ends all processes of a run", () => {
  const before = process.listenerCount("exit");
  const removeFirst = atExit(() => undefined);
  const count = process.listenerCount("exit");
  const removeOthers = Array.from({ length: 20 }, () => atExit(() => undefined));
  expect(process.listenerCount("exit")).toBe(count);
  for (const remove of removeOthers) remove();
  expect(process.listenerCount("exit")).toBe(count);
  removeFirst();
  expect(process.listenerCount("exit")).toBe(before);
});

/** Loads a new server on a new store for some seconds. */
async function load(seconds: number) {
  const home = mkdtempSync(join(folder, "load-"));
  const store = `sqlite:${join(home, "chats.db")}`;
  const server = await startServer({ store, home });
  const loaded = await runLoad({ folder: home, servers: [server], sessions: 5, seconds });
  expect(await server.end()).toBe(0);
  return [store, loaded] as const;
}
