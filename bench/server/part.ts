/** Input of the parts of `bench server`. Their results and musts are those of `bench store`. */
import type { PostgresServer } from "../../test/support/start-postgres.ts";
import type { StorePart } from "../store/part.ts";

export interface ServerRequest {
  /** Contains the stores and the servers' home folders; removed at the end. */
  readonly folder: string;
  readonly size: "quick" | "usual" | "long";
  readonly hasPeers: boolean;
  /** Turns that the sessions of a load have before it; one load for each. */
  readonly turns: readonly number[];
  readonly postgres: PostgresServer | undefined;
  say(text: string): void;
}

export type MeasureServer = (request: ServerRequest) => Promise<StorePart>;

export function toMegabytes(bytes: number): number {
  return Math.round(bytes / 1e5) / 10;
}
