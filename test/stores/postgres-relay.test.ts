/** Claims and texts between processes, over real connections that are cut. */
import { afterAll, expect, test } from "vitest";
import type { Relay } from "../../src/ports/relay.ts";
import { openPostgresRelay } from "../../src/stores/postgres/postgres-relay.ts";
import { createLocalRelay } from "../../src/stores/shared/local-channels.ts";
import { describePostgres, requireOwn } from "../support/describe-postgres.ts";

const opened: Relay[] = [];
const KEY = JSON.stringify(["o'tenant\0", "session"]);

async function aRelay(url: string) {
  const [received, warnings]: [string[], string[]] = [[], []];
  const relay = await openPostgresRelay(url, { onWarning: (text) => warnings.push(text) });
  opened.push(relay);
  relay.listen((text) => received.push(text));
  // The relay is connected once it has answered.
  await relay.isClaimedElsewhere(KEY);
  return { relay, received, warnings };
}

/** Cuts every connection to a database, like a restarted proxy. */
const cut = (url: string) =>
  `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${new URL(url).pathname.slice(1)}'`;

/** The claims of one database, as the server lists them. */
const LOCKS = `FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

test("a local relay grants a claim once and publishes nothing", async () => {
  const relay = createLocalRelay();
  expect([await relay.claim(KEY), await relay.claim(KEY), await relay.claim("other")]).toEqual([true, false, true]);
  expect(await relay.isClaimedElsewhere(KEY)).toBe(false);
  await relay.release(KEY);
  expect(await relay.claim(KEY)).toBe(true);
});

await describePostgres("a relay through PostgreSQL", (server) => {
  afterAll(async () => {
    for (const relay of opened) await relay.close();
    await server.close();
  });

  test("a relay grants only one of several concurrent claims", async () => {
    const url = await server.newDatabase();
    const [{ relay: one }, { relay: other }] = [await aRelay(url), await aRelay(url)];
    for (let index = 0; index < 50; index += 1) {
      const key = `${KEY} ${index}`;
      const claims = await Promise.all([one.claim(key), other.claim(key), one.claim(key), other.claim(key)]);
      expect(claims.filter(Boolean)).toHaveLength(1);
      const [winner, loser] = claims[0] || claims[2] ? [one, other] : [other, one];
      expect([await winner.isClaimedElsewhere(key), await loser.isClaimedElsewhere(key)]).toEqual([false, true]);
      await winner.release(key);
      expect([await loser.isClaimedElsewhere(key), await loser.claim(key)]).toEqual([false, true]);
    }
  });

  test("a relay releases its claims when it is closed, and shares nothing with other databases", async () => {
    const [url, another] = [await server.newDatabase(), await server.newDatabase()];
    const [{ relay: one }, { relay: other }] = [await aRelay(url), await aRelay(url)];
    const { relay: stranger, received } = await aRelay(another);
    expect(await one.claim(KEY)).toBe(true);
    expect([await stranger.isClaimedElsewhere(KEY), await stranger.claim(KEY)]).toEqual([false, true]);
    await one.publish("Nobody else's.");
    await one.close();
    await expect.poll(() => other.claim(KEY)).toBe(true);
    expect(received).toEqual([]);
  });

  test("a relay delivers published texts of any length completely and in order", async () => {
    const url = await server.newDatabase();
    const [{ relay, received: own }, { received }, { received: third }] = [
      await aRelay(url),
      await aRelay(url),
      await aRelay(url),
    ];
    const texts = ["", "'; DROP TABLE x; --", "\0 \ud800 🧵", "ä".repeat(1_000_000), ...Array(300).fill("again")];
    await Promise.all(texts.map((text) => relay.publish(text)));
    await expect.poll(() => [received.length, third.length]).toEqual([texts.length, texts.length]);
    expect(received).toEqual(texts);
    expect(third).toEqual(texts);
    expect(own).toEqual([]);
  });

  test("a relay renews its claims and receives texts again after a lost connection", async () => {
    const url = await server.newDatabase();
    const [{ relay, received, warnings }, { relay: other }] = [await aRelay(url), await aRelay(url)];
    expect(await relay.claim(KEY)).toBe(true);
    await server.run(cut(url));
    await expect.poll(() => other.isClaimedElsewhere(KEY)).toBe(true);
    expect(await other.claim(KEY)).toBe(false);
    await expect
      .poll(async () => {
        await other.publish("Are you there?");
        return received.length;
      })
      .toBeGreaterThan(0);
    expect(warnings).toEqual([expect.stringContaining("The connection between the servers failed")]);
    await relay.release(KEY);
    expect(await other.claim(KEY)).toBe(true);
  });

  test("a relay warns if another process took its claim while the connection was lost", async () => {
    const url = await server.newDatabase();
    const { relay, warnings } = await aRelay(url);
    expect(await relay.claim(KEY)).toBe(true);
    const { relay: other } = await aRelay(url);
    // Another connection waits for the lock, to get it before the first relay reconnects.
    const [row] = await server.run(`SELECT classid::bigint AS high, objid::bigint AS low ${LOCKS}`, url);
    const lock = BigInt.asIntN(64, (BigInt(String(row?.high)) << 32n) | BigInt(String(row?.low)));
    const thief = server.run(`SELECT pg_advisory_lock(${lock}), pg_sleep(2)`, url);
    await expect.poll(() => server.run(`SELECT 1 ${LOCKS} AND NOT granted`, url)).toHaveLength(1);
    await server.run(`SELECT pg_terminate_backend(pid) ${LOCKS} AND granted`, url);
    await expect.poll(() => warnings).toContainEqual(expect.stringContaining("Another process claimed"));
    await thief;
    // The first relay claims the key again when the lock is released.
    await expect.poll(() => other.isClaimedElsewhere(KEY)).toBe(true);
    await relay.release(KEY);
    await expect.poll(() => other.claim(KEY)).toBe(true);
  });

  test("a relay reports an unavailable server, and works again once the server is back", async (context) => {
    const own = requireOwn(server, context);
    const url = await server.newDatabase();
    const { relay, warnings } = await aRelay(url);
    await own.stop("fast");
    await expect(relay.claim(KEY)).rejects.toMatchObject({ code: "store-unavailable", retryable: true });
    await relay.publish("Nobody hears this.");
    await own.start();
    await expect.poll(() => relay.claim(KEY).catch(() => false)).toBe(true);
    expect(new Set(warnings).size).toBe(warnings.length);
  });
});
