/**
 * The gateway beside the same client without it: milliseconds that it adds to a request that passes through, and to one
 * of a folded conversation of 200 kB and of 200,000 tokens; the first byte of a stream; 200 concurrent streams; memory.
 * Client, gateway and upstream are separate processes, and requests alternate between both ways. The upstream answers
 * at once, so nothing hides behind the time of a model. It does not judge summaries.
 *
 * `--quick` sends a tenth of the requests, `--folder <path>` puts the stores there.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { BenchRequest, BenchResult } from "./bench.ts";
import { closeConnections, type SentRequest, sendRequest } from "./gateway/send-request.ts";
import { Talk } from "./gateway/talk.ts";
import { type StartedProcess, startGateway, startUpstream } from "./server/start-process.ts";
import { loadText, machineText, makeFolder, type Say, sayAs } from "./shared/surroundings.ts";
import { mustBe, roundFigure, timesOf } from "./store/part.ts";
import type { RequiredFigure } from "./turn-cost/judge-turn-cost.ts";

const say = sayAs("gateway");
const REQUESTS = 300;
const QUICK_SHARE = 10;
const WARM_UP = 40;
const STREAMS = 200;
const STREAM_CHUNKS = 40;

interface Case {
  readonly name: string;
  /** Characters of the conversation before the first request. */
  readonly characters: number;
  /** A window that folds the conversation; undefined for that of the model. */
  readonly windowTokens?: number | undefined;
  readonly p50Ms: number;
  readonly p99Ms?: number | undefined;
}

const CASES: readonly Case[] = [
  { name: "untouched, 4 kB", characters: 4_000, p50Ms: 1 },
  { name: "untouched, 200 kB", characters: 200_000, p50Ms: 1 },
  { name: "folded, 200 kB", characters: 200_000, windowTokens: 20_000, p50Ms: 4, p99Ms: 15 },
  { name: "folded, 200k tokens", characters: 700_000, windowTokens: 64_000, p50Ms: 12 },
];

export interface GatewayResult extends BenchResult {
  readonly musts: readonly RequiredFigure[];
}

interface Part {
  readonly rows: BenchResult["rows"];
  readonly musts: readonly RequiredFigure[];
}

interface Surroundings {
  readonly folder: string;
  readonly upstream: StartedProcess;
  readonly requests: number;
  readonly say: Say;
}

export async function run({ args }: BenchRequest): Promise<GatewayResult> {
  const folder = makeFolder(args);
  const upstream = await startUpstream();
  const requests = args.includes("--quick") ? REQUESTS / QUICK_SHARE : REQUESTS;
  const parts: Part[] = [];
  try {
    for (const each of CASES) parts.push(await measureCase(each, { folder, upstream, requests, say }));
    parts.push(await measureStreams({ folder, upstream, requests, say }));
  } finally {
    closeConnections();
    await upstream.end();
  }
  const musts = parts.flatMap((part) => part.musts);
  return {
    name: "gateway",
    title: "What the gateway adds to a request: milliseconds, processor time, memory",
    rows: parts.flatMap((part) => part.rows),
    notes: [
      ...musts.map(
        ({ text, target, measured, holds }) => `must: ${text} ${target}: ${measured}, ${holds ? "holds" : "MISSES"}`,
      ),
      "added: the percentile through the gateway less the same percentile without it.",
      "CPU: all threads of the gateway's process, for each request; main CPU: its main thread.",
      `Node ${process.version}, ${machineText()}, load ${loadText()} at the end.`,
    ],
    musts,
  };
}

async function withGateway<Result>(
  { folder, upstream }: Surroundings,
  { name, windowTokens }: Pick<Case, "name" | "windowTokens">,
  work: (gateway: StartedProcess) => Promise<Result>,
): Promise<Result> {
  const home = join(folder, name.replaceAll(/\W+/g, "-"));
  mkdirSync(home);
  const gateway = await startGateway({ store: `sqlite:${home}/store.db`, home, upstream: upstream.url, windowTokens });
  try {
    return await work(gateway);
  } finally {
    await gateway.end();
  }
}

function measureCase(each: Case, surroundings: Surroundings): Promise<Part> {
  const { upstream, requests } = surroundings;
  return withGateway(surroundings, each, async (gateway) => {
    const talk = new Talk(each.characters).growTo(each.characters);
    const [through, direct]: SentRequest[][] = [[], []];
    const sendBoth = async () => {
      const body = talk.ask(300).encode();
      direct?.push(await sendRequest(upstream.url, body));
      through?.push(await sendRequest(gateway.url, body));
      talk.answer();
    };
    for (let index = 0; index < WARM_UP; index += 1) await sendBoth();
    for (const list of [through, direct]) list?.splice(0);
    const before = await gateway.collect();
    for (let index = 0; index < requests; index += 1) await sendBoth();
    const after = await gateway.collect();
    const saved = Number(through?.at(-1)?.headers["x-palimpsest-saved-tokens"] ?? 0);
    if (saved > 0 !== (each.windowTokens !== undefined)) throw new Error(`${each.name}: saved ${saved} tokens`);
    const [slow, fast] = [timesOf(totals(through)), timesOf(totals(direct))];
    const [p50Ms, p99Ms] = [slow.p50Ms - fast.p50Ms, slow.p99Ms - fast.p99Ms];
    const cpuMs = (after.cpuMs - before.cpuMs) / requests;
    const mainMs = (after.mainCpuMs - before.mainCpuMs) / requests;
    say(`${each.name}: adds ${p50Ms.toFixed(2)} ms, CPU ${cpuMs.toFixed(2)} ms`);
    const row = {
      case: each.name,
      requests,
      "direct p50 ms": roundFigure(fast.p50Ms),
      "added p50 ms": roundFigure(p50Ms),
      "added p99 ms": roundFigure(p99Ms),
      "CPU ms": roundFigure(cpuMs),
      "main CPU ms": roundFigure(mainMs),
      "heap MB before": Math.round(before.heapBytes / 1e6),
      "heap MB after": Math.round(after.heapBytes / 1e6),
    };
    const must = (what: string, value: number, atMost: number) =>
      mustBe({ text: `${each.name}: ${what}`, value, unit: " ms", atMost });
    const p99 = each.p99Ms === undefined ? [] : [must("added p99", p99Ms, each.p99Ms)];
    return { rows: [row], musts: [must("added p50", p50Ms, each.p50Ms), ...p99] };
  });
}

function totals(sent: readonly SentRequest[] = []): readonly number[] {
  return sent.map(({ totalMs }) => totalMs);
}

const MAX_FIRST_BYTE_MS = 2;
const MAX_HEAP_GROWTH_MB = 10;

function measureStreams(surroundings: Surroundings): Promise<Part> {
  const { upstream, requests } = surroundings;
  return withGateway(surroundings, { name: "streams" }, async (gateway) => {
    const body = new Talk(1).ask(500).encode();
    const first = { through: [] as number[], direct: [] as number[] };
    for (let index = 0; index < requests; index += 1) {
      first.direct.push((await sendRequest(upstream.url, body, 1)).firstByteMs);
      first.through.push((await sendRequest(gateway.url, body, 1)).firstByteMs);
    }
    const addedMs = timesOf(first.through).p50Ms - timesOf(first.direct).p50Ms;
    const play = (url: string) =>
      Promise.all(
        Array.from({ length: STREAMS }, (_, index) =>
          sendRequest(url, new Talk(index + 2).ask(500).encode(), STREAM_CHUNKS),
        ),
      );
    const direct = await play(upstream.url);
    await play(gateway.url);
    const before = await gateway.collect();
    const rounds = [await play(gateway.url), await play(gateway.url), await play(gateway.url)];
    const after = await gateway.collect();
    const through = rounds.flat();
    const whole = through.filter(({ bytes }) => bytes === direct[0]?.bytes).length;
    const grownMb = (after.heapBytes - before.heapBytes) / 1e6;
    const row = {
      streams: STREAMS,
      rounds: rounds.length,
      "direct p50 ms": roundFigure(timesOf(totals(direct)).p50Ms),
      "through p50 ms": roundFigure(timesOf(totals(through)).p50Ms),
      "through p99 ms": roundFigure(timesOf(totals(through)).p99Ms),
      "CPU ms a stream": roundFigure((after.cpuMs - before.cpuMs) / through.length),
      whole,
      "heap MB grown": roundFigure(grownMb),
    };
    const musts = [
      mustBe({ text: "first byte of a stream, added p50", value: addedMs, unit: " ms", atMost: MAX_FIRST_BYTE_MS }),
      mustBe({ text: `${STREAMS} streams at once, whole`, value: whole, unit: "", atLeast: through.length }),
      mustBe({ text: "heap after three rounds, grown", value: grownMb, unit: " MB", atMost: MAX_HEAP_GROWTH_MB }),
    ];
    return { rows: [row], musts };
  });
}
