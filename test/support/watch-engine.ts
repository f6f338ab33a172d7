/** Opens an engine and records all of its events in order. */
import { type OpenOptions, openPalimpsest } from "../../src/compose.ts";
import type { EngineEvents, EventName } from "../../src/engine/context/events.ts";
import type { Palimpsest } from "../../src/engine/palimpsest.ts";

export type ReceivedEvent = { readonly [Name in EventName]: { readonly name: Name } & EngineEvents[Name] }[EventName];

export interface WatchedEngine {
  readonly engine: Palimpsest;
  readonly received: readonly ReceivedEvent[];
  /** Returns the events of one name. */
  of<Name extends EventName>(name: Name): readonly EngineEvents[Name][];
}

const NAMES = [
  "append",
  "prompt",
  "compaction-start",
  "summary",
  "summary.trimmed",
  "compaction",
  "compaction-end",
  "warning",
] as const satisfies readonly EventName[];

export async function watchEngine(options: OpenOptions): Promise<WatchedEngine> {
  const engine = await openPalimpsest(options);
  const received: ReceivedEvent[] = [];
  const byName = new Map<EventName, unknown[]>(NAMES.map((name) => [name, []]));
  for (const name of NAMES) {
    engine.on(name, (event) => {
      received.push({ name, ...event } as ReceivedEvent);
      byName.get(name)?.push(event);
    });
  }
  return { engine, received, of: (name) => (byName.get(name) ?? []) as never };
}
