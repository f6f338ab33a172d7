/**
 * Servers and workers on one PostgreSQL database: workers run the jobs, and servers are notified of each other's
 * appends.
 */
import { afterAll, expect, test } from "vitest";
import { type OpenOptions, openPalimpsest } from "../../src/compose.ts";
import type { EngineEvents } from "../../src/engine/context/events.ts";
import type { Palimpsest } from "../../src/engine/palimpsest.ts";
import { describePostgres, requireOwn } from "../support/describe-postgres.ts";
import { startCli } from "../support/start-cli.ts";

const text = "the quick brown fox jumps over the lazy dog ".repeat(6);
const exchanges = (count: number) =>
  Array.from({ length: count }, (_, index) => [
    { role: "user", content: `Question ${index}: ${text}` },
    { role: "assistant", content: `Answer ${index}: ${text}` },
  ]).flat();

const opened: Palimpsest[] = [];

async function open(store: string, options: OpenOptions = {}): Promise<Palimpsest> {
  const policy = { preset: "rolling-chat", pauseMs: 0 } as const;
  const palimpsest = await openPalimpsest({ store, policy, windowTokens: 100_000, counter: "estimate", ...options });
  opened.push(palimpsest);
  return palimpsest;
}

await describePostgres("engines on one database", (server) => {
  afterAll(async () => {
    for (const palimpsest of opened) await palimpsest.close();
    await server.close();
  });

  test("a worker process runs the jobs of servers once each and stops on request", async () => {
    const url = await server.newDatabase();
    const palimpsest = await open(url, { jobs: "pg-boss" });
    const sessions = await Promise.all(["a", "b", "c"].map((id) => palimpsest.session(id)));
    for (const session of sessions) await session.append(exchanges(12));
    await Promise.all(sessions.map((session) => session.settle()));
    const summaries = async () =>
      (await Promise.all(sessions.map((session) => session.entries({ types: ["summary"] })))).map(
        ({ length }) => length,
      );
    expect(await summaries()).toEqual([0, 0, 0]);
    const environment = { PALIMPSEST_STORE: url, PALIMPSEST_POLICY: "rolling-chat" };
    const { child, out, ended } = startCli(["worker", "--json"], { environment });
    await expect.poll(summaries, { interval: 100 }).toEqual([1, 1, 1]);
    child.kill("SIGTERM");
    expect((await ended).code).toBe(0);
    const events = out()
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(
      events
        .filter(({ event }) => event === "compaction")
        .map(({ sessionId }) => sessionId)
        .sort(),
    ).toEqual(["a", "b", "c"]);
    expect(await palimpsest.deadLetters()).toEqual([]);
  });

  test("servers learn of each other's appends, also after a lost connection", async (context) => {
    const own = requireOwn(server, context);
    const url = await server.newDatabase();
    const [here, there] = [await open(url), await open(url)];
    const received: EngineEvents["session-grown"][] = [];
    there.on("session-grown", (event) => received.push(event));
    const theirs = await there.session("s");
    await theirs.history();
    const session = await here.session("s");
    await expect
      .poll(async () => {
        await session.append({ role: "user", content: "Hello." });
        return received.length;
      })
      .toBeGreaterThan(0);
    const { length } = await session.entries();
    await expect.poll(() => received.some(({ seq }) => seq === length)).toBe(true);
    expect((await theirs.history()).length).toBe(length);
    await own.stop("fast");
    await own.start();
    await session.append({ role: "assistant", content: "After." });
    await expect.poll(() => received.some(({ seq }) => seq === length + 1)).toBe(true);
    expect((await theirs.history()).length).toBe(length + 1);
  });
});
