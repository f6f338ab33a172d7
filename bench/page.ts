/**
 * The page with a very long conversation, in a real Chromium against a server on SQLite that has just started: how soon
 * the newest messages and the strip are visible, how evenly it scrolls, and how many messages are in the page. An empty
 * conversation in the same browser is measured too, so that a slower machine changes both.
 *
 * `--quick` uses 10,000 messages instead of 100,000; `--folder <path>` keeps the database there and reuses it.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { writeLongSession } from "../test/support/long-session.ts";
import { buildPage, launchBrowser } from "../test/support/open-page.ts";
import { startTestServer } from "../test/support/start-server.ts";
import type { BenchRequest, BenchResult } from "./bench.ts";
import { measureOpening, measureScrolling, type OpeningFigures, type ScrollFigures } from "./page/measure-page.ts";
import type { RequiredFigure } from "./turn-cost/judge-turn-cost.ts";

const MAX_OPENING_MS = 1_500;
const MIN_FRAMES_A_SECOND = 50;
const MAX_MESSAGES = 200;
const ROUNDS = 5;

interface PageFigures {
  readonly empty: readonly OpeningFigures[];
  readonly long: readonly OpeningFigures[];
  readonly scrolled: ScrollFigures;
}

export async function run({
  args,
}: BenchRequest): Promise<BenchResult & { readonly musts: readonly RequiredFigure[] }> {
  const messages = args.includes("--quick") ? 10_000 : 100_000;
  const given = args[args.indexOf("--folder") + 1];
  const folder = args.includes("--folder") && given !== undefined ? given : mkdtempSync(join(tmpdir(), "bench-page-"));
  mkdirSync(folder, { recursive: true });
  const store = join(folder, `long-${messages}.db`);
  const web = join(folder, "web");
  const browser = await launchBrowser();
  try {
    say(buildPage(web).trim().split("\n").at(-1) ?? "");
    if (!existsSync(store)) await write(store, messages);
    return judge(await measure(browser, { store, web }), messages);
  } finally {
    await browser.close();
    if (!args.includes("--folder")) rmSync(folder, { recursive: true, force: true });
  }
}

async function write(store: string, messages: number): Promise<void> {
  say(`writing ${messages} messages`);
  await using server = await startTestServer({ store: `sqlite:${store}` });
  await server.ask("POST", "/api/sessions", { id: "empty" });
  await writeLongSession(server, { id: "long", messages });
  say("folding them");
  await server.ask("POST", "/api/sessions/long/compactions", {});
  // Messages after a compaction are verbatim, as in any long conversation.
  const tail = Array.from({ length: 40 }, (_, index) => ({ role: index % 2 ? "assistant" : "user", content: "Next." }));
  await server.ask("POST", "/api/sessions/long/messages", { messages: tail });
  await server.ask("POST", "/api/sessions/empty/messages", { messages: tail.slice(0, 2) });
}

async function measure(
  browser: Browser,
  { store, web }: { readonly store: string; readonly web: string },
): Promise<PageFigures> {
  const [empty, long]: [OpeningFigures[], OpeningFigures[]] = [[], []];
  let scrolled: ScrollFigures | undefined;
  for (let round = 0; round < ROUNDS; round += 1) {
    // A server that has just started has cached neither conversation.
    await using server = await startTestServer({ store: `sqlite:${store}`, page: web });
    for (const [id, kept] of [["empty", empty] as const, ["long", long] as const]) {
      const opened = await measureOpening(browser, `${server.url}/#/sessions/${id}`);
      kept.push(opened);
      if (id === "long") scrolled ??= await measureScrolling(opened.page, { frames: 900, step: 90 });
      await opened.page.context().close();
    }
    say(`round ${round + 1} of ${ROUNDS}`);
  }
  if (scrolled === undefined) throw new Error("Nothing was scrolled.");
  return { empty, long, scrolled };
}

function judge({ empty, long, scrolled }: PageFigures, messages: number) {
  const [alone, opening] = [middleOf(empty.map(({ ms }) => ms)), middleOf(long.map(({ ms }) => ms))];
  const perSecond = 1_000 / scrolled.medianMs;
  const musts: readonly RequiredFigure[] = [
    must("opens within", { target: `${MAX_OPENING_MS} ms`, value: opening, holds: opening <= MAX_OPENING_MS }),
    must("scrolls at the median with", {
      target: `${MIN_FRAMES_A_SECOND} frames a second`,
      value: perSecond,
      holds: perSecond >= MIN_FRAMES_A_SECOND,
    }),
    must("holds at most", {
      target: `${MAX_MESSAGES} messages`,
      value: scrolled.maxMessages,
      holds: scrolled.maxMessages <= MAX_MESSAGES,
    }),
  ];
  return {
    name: "page",
    title: `A conversation of ${messages.toLocaleString("en-US")} messages on the page, in Chromium, server just started`,
    rows: [rowOf("two messages", empty), rowOf(`${messages} messages`, long)],
    figures: {
      "opening, over one of two messages": opening / alone,
      "frames a second while scrolling, median": perSecond,
      "slowest twentieth of frames, ms": scrolled.slowMs,
      "pixels scrolled": scrolled.pixels,
      "messages in the page at most": scrolled.maxMessages,
      "elements in the page at most": scrolled.maxElements,
    },
    musts,
    notes: [
      ...musts.map(
        ({ text, target, measured, holds }) => `must: ${text} ${target}: ${measured}, ${holds ? "holds" : "MISSES"}`,
      ),
      `opening: from the navigation of an empty tab to the newest messages and the strip; the median of ${ROUNDS}.`,
      `Node ${process.version}, ${cpus()[0]?.model.trim() ?? "unknown processor"}, ${availableParallelism()} cores, load average ${(loadavg()[0] ?? 0).toFixed(2)}`,
    ],
  };
}

function rowOf(what: string, opened: readonly OpeningFigures[]): BenchResult["rows"][number] {
  return {
    what,
    "opening ms": middleOf(opened.map(({ ms }) => ms)),
    "slowest ms": Math.max(...opened.map(({ ms }) => ms)),
    requests: opened[0]?.requests ?? 0,
    kB: opened[0]?.kilobytes ?? 0,
  };
}

interface CheckedFigure {
  readonly target: string;
  readonly value: number;
  readonly holds: boolean;
}

function must(text: string, { target, value, holds }: CheckedFigure): RequiredFigure {
  return { text, target, measured: value.toFixed(0), holds };
}

function middleOf(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;
}

function say(text: string): void {
  process.stderr.write(`page: ${text}\n`);
}
