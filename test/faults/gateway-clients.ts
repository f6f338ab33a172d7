/** Generated clients of the gateway against strict upstreams, many at once: what no unit test reaches by chance. */
import { startServer } from "../../src/server/start.ts";
import { playGroup, startPairsUpstream } from "../gateway/play-pairs.ts";
import { playSession } from "../gateway/play-sessions.ts";
import { startSplitAnthropic } from "../gateway/split-anthropic.ts";
import type { TemporaryFolder } from "../stores/temporary-folder.ts";
import type { FaultOptions, FaultResult } from "./fault.ts";

const AT_ONCE = 8;
const TURNS = 6;
/** Conversations with the same beginning: 21 pairs. */
const ALIKE = 7;
const PAIRS_A_GROUP = (ALIKE * (ALIKE - 1)) / 2;

export async function playStrictSessions(folder: TemporaryFolder, options: FaultOptions): Promise<FaultResult> {
  await using upstream = await startSplitAnthropic(options.seed);
  await using gateway = await startGateway(folder, upstream.url, 3_000);
  const violations: string[] = [];
  let requests = 0;
  const rounds = await repeat(options, async (round) => {
    const played = await playSession(gateway.url, options.seed * 100_000 + round, TURNS).catch(describeFailure);
    requests += played.requests;
    violations.push(...played.lost, ...played.failures);
    options.onProgress(`${round} sessions, ${requests} requests, ${upstream.folded} folded`);
  });
  violations.push(...upstream.refusals);
  const remarks = `${requests} requests, ${upstream.folded} folded, ${upstream.refusals.length} refused`;
  return { name: "strict sessions", rounds, acknowledged: requests, lost: 0, duplicated: 0, violations, remarks };
}

export async function playEqualBeginnings(folder: TemporaryFolder, options: FaultOptions): Promise<FaultResult> {
  await using upstream = await startPairsUpstream();
  await using gateway = await startGateway(folder, upstream.url, 1_500);
  const violations: string[] = [];
  const groups = Math.ceil(options.rounds / PAIRS_A_GROUP);
  const played = await repeat({ ...options, rounds: groups }, async (group) => {
    await playGroup(gateway.url, options.seed * 100_000 + group, ALIKE).catch((error) =>
      violations.push(String(error)),
    );
    options.onProgress(`${group * PAIRS_A_GROUP} pairs, ${upstream.requests} requests`);
  });
  violations.push(...upstream.mixed);
  const remarks = `${played * PAIRS_A_GROUP} pairs, ${upstream.folded} requests folded, ${upstream.mixed.length} mixed`;
  const facts = { rounds: played * PAIRS_A_GROUP, acknowledged: upstream.requests, lost: 0, duplicated: 0 };
  return { name: "equal beginnings", ...facts, violations, remarks };
}

function describeFailure(error: unknown): Awaited<ReturnType<typeof playSession>> {
  return { requests: 0, lost: [], failures: [String(error)] };
}

/** Runs several rounds at once, and none after the time limit. Returns how many were run. */
async function repeat(
  { rounds, longestMs }: Pick<FaultOptions, "rounds" | "longestMs">,
  run: (round: number) => Promise<void>,
): Promise<number> {
  const endsAt = performance.now() + longestMs;
  let next = 0;
  const work = async () => {
    while (next < rounds && performance.now() < endsAt) {
      next += 1;
      await run(next);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return next;
}

async function startGateway(folder: TemporaryFolder, url: string, windowTokens: number) {
  const upstreams = [
    { vendor: "anthropic", url },
    { vendor: "openai", url },
  ] as const;
  const ignore = () => undefined;
  const server = await startServer({
    ...{ store: `sqlite:${folder.newPath()}`, version: "0.0.0", models: [], gateway: { upstreams, windowTokens } },
    engine: { counter: "estimate", summarizer: "offline" },
    log: {
      answered: ignore,
      audit: ignore,
      note: ignore,
      failed: (_id, error) => void process.stderr.write(`${error}\n`),
    },
  });
  return { url: server.url, [Symbol.asyncDispose]: () => server.close({ withinMs: 1_000 }) };
}
