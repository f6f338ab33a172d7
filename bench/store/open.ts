/**
 * Opens a conversation of the largest size (the store, the engine, the session and its view) in two ways: by a new
 * handle in a process that has run the code before, compared with reading and parsing the same rows of a bare file; and
 * by a new process, which also loads the code and the counter's table.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { grownFile, largestSize, VIEW_BUDGETS } from "./growth.ts";
import type { OpenFigures, OpenTask } from "./open-apart.ts";
import { measureTime, mustBe, roundFigure, type StorePart, type StoreRequest, type StoreRow, timesOf } from "./part.ts";

const MAX_MS: Readonly<Record<(typeof VIEW_BUDGETS)[number], number>> = { 32000: 5, 200000: 20 };
const OPENINGS = 31;
const PROCESSES = 11;

interface OpeningFigures {
  readonly budgetTokens: (typeof VIEW_BUDGETS)[number];
  readonly messages: number;
  readonly handleMs: readonly number[];
  readonly bareMs: readonly number[];
  readonly processMs: readonly number[];
}

export async function measureOpening(request: StoreRequest): Promise<StorePart> {
  const size = largestSize(request);
  const openings: OpeningFigures[] = [];
  for (const budgetTokens of VIEW_BUDGETS) {
    if (!existsSync(grownFile(request, budgetTokens))) continue;
    openings.push(await measureView(grownFile(request, budgetTokens), budgetTokens));
    request.say(`opened with a view of ${budgetTokens} tokens`);
  }
  return {
    rows: openings.flatMap((opening) => rowsOf(opening, size)),
    musts: VIEW_BUDGETS.map((budgetTokens) => {
      const opening = openings.find((each) => each.budgetTokens === budgetTokens);
      return mustBe({
        text: `open at ${size} messages on SQLite, ${budgetTokens / 1_000}k view, fresh handle, median of ${OPENINGS}`,
        value: opening && timesOf(opening.handleMs).p50Ms,
        unit: " ms",
        atMost: MAX_MS[budgetTokens],
        beside: opening && `bare file ${timesOf(opening.bareMs).p50Ms.toFixed(2)} ms`,
      });
    }),
    notes: [
      `open: openPalimpsest, session(id), history(); files of the part growth; bare file: node:sqlite opens it, reads the same head and entries and parses their JSON; a fresh process also loads the code and the counter's table, median of ${PROCESSES}`,
    ],
  };
}

async function measureView(path: string, budgetTokens: OpeningFigures["budgetTokens"]): Promise<OpeningFigures> {
  const { messages, handleMs } = await openApart({ path, budgetTokens, openings: OPENINGS });
  const bareMs: number[] = [];
  for (let round = 0; round < OPENINGS; round += 1) bareMs.push((await measureTime(() => readBare(path))).ms);
  const processMs: number[] = [];
  for (let round = 0; round < PROCESSES; round += 1) {
    const { handleMs: first } = await openApart({ path, budgetTokens, openings: 1 });
    processMs.push(...first);
  }
  return { budgetTokens, messages, handleMs, bareMs, processMs };
}

async function openApart(task: OpenTask): Promise<OpenFigures> {
  const script = fileURLToPath(new URL("./open-apart.ts", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [script, JSON.stringify(task)]);
  return JSON.parse(stdout) as OpenFigures;
}

function readBare(path: string): number {
  const database = new DatabaseSync(path);
  database.exec("PRAGMA journal_mode = WAL");
  const head = database.prepare("SELECT session_key, view_from_seq, head FROM heads LIMIT 1").get();
  JSON.parse(String(head?.head));
  const rows = database
    .prepare("SELECT seq, id, type, at, hash, content FROM entries WHERE tenant = ? AND session_key = ? AND seq > ?")
    .all("local", Number(head?.session_key), Number(head?.view_from_seq));
  for (const row of rows) JSON.parse(String(row.content));
  database.close();
  return rows.length;
}

function rowsOf(
  { budgetTokens, messages, handleMs, bareMs, processMs }: OpeningFigures,
  size: number,
): readonly StoreRow[] {
  const view = `${budgetTokens / 1_000}k view`;
  const cases = [
    { name: `Palimpsest, SQLite, ${view}, fresh handle`, ms: handleMs, remark: `${messages} messages in the view` },
    { name: `bare file, ${view}`, ms: bareMs, remark: null },
    { name: `Palimpsest, SQLite, ${view}, fresh process`, ms: processMs, remark: "with loading the code" },
  ];
  return cases.map(({ name, ms, remark }) => {
    const { p50Ms, p99Ms } = timesOf(ms);
    return {
      part: "open",
      case: name,
      messages: size,
      openMs: roundFigure(p50Ms),
      p50Ms: roundFigure(p50Ms),
      p99Ms: roundFigure(p99Ms),
      remark,
    };
  });
}
