/**
 * Shared by the parts of `bench store`: their input, their result, and the form of a required limit (a must). A must
 * that was requested and could not be measured does not hold.
 */
import { performance } from "node:perf_hooks";
import type { BenchValue } from "../bench.ts";
import { percentile } from "../turn-cost/figures.ts";
import type { RequiredFigure } from "../turn-cost/judge-turn-cost.ts";

export interface StoreRequest {
  /** Folder of the stores; its disk is measured. It is removed at the end of the run. */
  readonly folder: string;
  readonly isQuick: boolean;
  /** For parts that measure both: whether to run Palimpsest, and whether to run the other libraries. */
  readonly hasOurs: boolean;
  readonly hasPeers: boolean;
  readonly conversationFile: string;
  say(text: string): void;
}

export interface StorePart {
  readonly rows: readonly StoreRow[];
  readonly musts: readonly RequiredFigure[];
  readonly figures?: Readonly<Record<string, BenchValue>> | undefined;
  readonly notes: readonly string[];
}

/** The same columns for all parts, so that they share one table. */
export interface StoreRow extends Readonly<Record<string, BenchValue>> {
  readonly part: string;
  readonly case: string;
}

export const NOTHING_MEASURED: StorePart = { rows: [], musts: [], notes: [] };

export interface Limit {
  readonly text: string;
  readonly value: number | undefined;
  readonly unit: string;
  readonly atMost?: number | undefined;
  readonly atLeast?: number | undefined;
  /** The reference figure, such as that of the raw medium. */
  readonly beside?: string | undefined;
}

export function mustBe({ text, value, unit, atMost, atLeast, beside }: Limit): RequiredFigure {
  const format = (number: number) => `${Number(number.toPrecision(3)).toLocaleString("en-US")}${unit}`;
  const target = atMost === undefined ? `>= ${format(atLeast ?? 0)}` : `<= ${format(atMost)}`;
  const isInside = value !== undefined && value <= (atMost ?? value) && value >= (atLeast ?? value);
  const measured = value === undefined ? "not measured" : format(value);
  return { text, target, measured: beside === undefined ? measured : `${measured} (${beside})`, holds: isInside };
}

export interface Times {
  readonly count: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

export function timesOf(ms: readonly number[]): Times {
  return {
    count: ms.length,
    p50Ms: percentile(ms, 0.5),
    p99Ms: percentile(ms, 0.99),
    maxMs: percentile(ms, 1),
  };
}

export async function measureTime<Result>(
  work: () => Result | Promise<Result>,
): Promise<{ readonly ms: number; readonly result: Result }> {
  const before = performance.now();
  const result = await work();
  return { ms: performance.now() - before, result };
}

export function roundFigure(value: number | undefined): number | null {
  return value === undefined || Number.isNaN(value) ? null : Number(value.toPrecision(3));
}
