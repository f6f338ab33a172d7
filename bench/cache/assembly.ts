/**
 * CPU time of `session.prompt()` for a prompt of 200,000 tokens: five thousand outlines, forty chosen files and a long
 * history, with no, one, ten and all files edited since the last prompt.
 */
import { openPalimpsest } from "../../src/compose.ts";
import type { Session } from "../../src/engine/session/session.ts";
import { type SeededRandom, seededRandom } from "../../src/testing/seeded-random.ts";
import type { BenchValue } from "../bench.ts";
import { mustBe } from "../store/part.ts";
import { percentile } from "../turn-cost/figures.ts";
import type { RequiredFigure } from "../turn-cost/judge-turn-cost.ts";
import { textMessage } from "./create-messages.ts";
import { MemoryWorkspace } from "./memory-workspace.ts";
import { editSource, sourceFile, writeProse } from "./write-text.ts";

const MODEL = "claude-sonnet-4-6";
const OUTLINES = 5_000;
const CHOSEN = 40;
const EXCHANGES = 180;
const MAX_MS = 5;
const CHANGED = [0, 1, 10, CHOSEN];
const ROUNDS = 40;
const WARM_UP = 20;

export interface AssemblyPart {
  readonly rows: readonly Readonly<Record<string, BenchValue>>[];
  readonly musts: readonly RequiredFigure[];
}

interface Stage {
  readonly session: Session;
  readonly disk: MemoryWorkspace;
  readonly random: SeededRandom;
  readonly texts: Map<string, string>;
  readonly chosen: readonly string[];
}

export async function measureAssembly({ isQuick }: { readonly isQuick: boolean }): Promise<AssemblyPart> {
  const { stage, close } = await setStage();
  const rounds = isQuick ? ROUNDS / 4 : ROUNDS;
  const rows: AssemblyPart["rows"][number][] = [];
  let unchangedMs: number | undefined;
  for (const changed of CHANGED) {
    const { promptMs, renderMs, tokens } = await measure(stage, { changed, rounds });
    if (changed === 0) unchangedMs = percentile(promptMs, 0.5);
    rows.push({
      filesChanged: changed,
      promptTokens: tokens,
      promptMs: percentile(promptMs, 0.5),
      // The 10th percentile, because other processes disturb it least.
      promptP10Ms: percentile(promptMs, 0.1),
      promptP90Ms: percentile(promptMs, 0.9),
      renderMs: percentile(renderMs, 0.5),
    });
  }
  await close();
  const text = "assembly of an unchanged prompt, median CPU time";
  return { rows, musts: [mustBe({ text, value: unchangedMs, unit: " ms", atMost: MAX_MS })] };
}

async function setStage(): Promise<{ readonly stage: Stage; close(): Promise<void> }> {
  const random = seededRandom(1);
  const texts = new Map(
    Array.from({ length: OUTLINES }, (_, index) => {
      const imports = [shortPath(index % 8), shortPath((index + 1) % OUTLINES)];
      if (index % (OUTLINES / CHOSEN) === 0) return [shortPath(index), sourceFile(random, { functions: 9, imports })];
      return [
        shortPath(index),
        [...imports.map((path) => `import {} from "${path}";`), "export run(): void"].join("\n"),
      ];
    }),
  );
  const disk = new MemoryWorkspace(texts);
  const palimpsest = await openPalimpsest({
    model: MODEL,
    counter: "o200k",
    models: { [MODEL]: { startFactor: 1 } },
    workspace: disk,
  });
  const session = await palimpsest.session();
  const chosen = [...texts.keys()].filter((_, index) => index % (OUTLINES / CHOSEN) === 0);
  for (const path of chosen) await session.workspace.files.add(path);
  for (let turn = 0; turn < EXCHANGES; turn += 1) {
    await session.append([textMessage("user", `u${turn}`, writeProse(random, 4))], { format: "palimpsest" });
    if (turn < EXCHANGES - 1) {
      await session.append([textMessage("assistant", `a${turn}`, writeProse(random, 20))], { format: "palimpsest" });
    }
  }
  const stage = { session, disk, random, texts, chosen };
  for (let round = 0; round < WARM_UP; round += 1) await session.prompt({ provider: "anthropic" });
  return { stage, close: () => palimpsest.close() };
}

/** Returns a short path, because each path is in the prompt twice: in the tree, and above its outline. */
function shortPath(index: number): string {
  return `lib/${index}.ts`;
}

interface AssemblyFigures {
  readonly promptMs: readonly number[];
  readonly renderMs: readonly number[];
  readonly tokens: number;
}

async function measure(
  { session, disk, random, texts, chosen }: Stage,
  { changed, rounds }: { readonly changed: number; readonly rounds: number },
): Promise<AssemblyFigures> {
  const promptMs: number[] = [];
  const renderMs: number[] = [];
  let tokens = 0;
  for (let round = 0; round < rounds; round += 1) {
    for (const path of chosen.slice(0, changed)) {
      const text = editSource(random, texts.get(path) ?? "");
      disk.write(path, text);
    }
    const started = process.cpuUsage();
    const prompt = await session.prompt({ provider: "anthropic" });
    const assembled = process.cpuUsage(started);
    const rendering = process.cpuUsage();
    prompt.as("anthropic");
    renderMs.push(millisecondsOf(process.cpuUsage(rendering)));
    promptMs.push(millisecondsOf(assembled));
    tokens = prompt.report.tokens;
  }
  return { promptMs, renderMs, tokens };
}

function millisecondsOf({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1_000;
}
