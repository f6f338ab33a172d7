/** Generated clients against strict upstreams. `npm run faults -- F20` and `F21` play the full numbers. */
import { expect, test } from "vitest";
import { playGroup, startPairsUpstream } from "./play-pairs.ts";
import { playSession } from "./play-sessions.ts";
import { startSplitAnthropic } from "./split-anthropic.ts";
import { startGateway } from "./start-gateway.ts";

test("no generated session is refused by a strict upstream, and every changed resend continues its session", async () => {
  await using upstream = await startSplitAnthropic(1);
  await using gateway = await startGateway(upstream.url, { gateway: { windowTokens: 3_000 } });
  for (let seed = 1; seed <= 6; seed += 1) {
    expect(await playSession(gateway.url, seed, 5)).toMatchObject({ lost: [], failures: [] });
  }
  expect(upstream.refusals).toEqual([]);
  expect(upstream.folded).toBeGreaterThan(5);
});

test("conversations with equal beginnings that overlap never get each other's text", async () => {
  await using upstream = await startPairsUpstream();
  await using gateway = await startGateway(upstream.url, { gateway: { windowTokens: 1_500 } });
  for (let group = 0; group < 4; group += 1) await playGroup(gateway.url, group, 4);
  expect(upstream.mixed).toEqual([]);
  expect([upstream.requests, upstream.folded]).toEqual([32, 32]);
});
