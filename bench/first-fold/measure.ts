/** Opens a store whose session has no summary, makes two prompts in its own process, and prints the figures as JSON. */
import { openPalimpsest } from "../../src/index.ts";

export interface FirstFoldFigures {
  readonly firstMs: number;
  readonly secondMs: number;
  readonly memoryBytes: number;
  /** CPU time of the main thread between two ticks of a timer. */
  readonly longestStepMs: number;
  readonly reports: number;
}

const TICK_MS = 5;

async function measure(path: string): Promise<FirstFoldFigures> {
  const palimpsest = await openPalimpsest({ store: `sqlite:${path}` });
  const session = await palimpsest.load("long");
  let reports = 0;
  palimpsest.on("catch-up", () => {
    reports += 1;
  });
  const memoryBefore = process.memoryUsage.rss();
  let [mostBytes, longestStepMs, last] = [memoryBefore, 0, readThreadMs()];
  const timer = setInterval(() => {
    const now = readThreadMs();
    longestStepMs = Math.max(longestStepMs, now - last);
    last = now;
    mostBytes = Math.max(mostBytes, process.memoryUsage.rss());
  }, TICK_MS);
  const ask = (content: string) => processorMs(() => session.prompt({ next: { role: "user", content } }));
  const firstMs = await ask("What was said first?");
  clearInterval(timer);
  const secondMs = await ask("And what was said then?");
  await palimpsest.close();
  return { firstMs, secondMs, memoryBytes: mostBytes - memoryBefore, longestStepMs, reports };
}

function readThreadMs(): number {
  return sumMs(process.threadCpuUsage());
}

async function processorMs(work: () => Promise<unknown>): Promise<number> {
  const start = process.cpuUsage();
  await work();
  return sumMs(process.cpuUsage(start));
}

function sumMs({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1_000;
}

process.stdout.write(JSON.stringify(await measure(process.argv[2] ?? "")));
