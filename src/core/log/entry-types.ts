/** The names of every type of entry, for whoever reads them from outside. The compiler sees that none is forgotten. */
import type { Entry, EpochEntry } from "./entry.ts";

const CHANGES: Readonly<Record<EpochEntry["type"], true>> = {
  summary: true,
  prune: true,
  truncate: true,
  clear: true,
  pin: true,
  unpin: true,
  delete: true,
  undo: true,
};
const OTHERS: Readonly<Record<Exclude<Entry["type"], EpochEntry["type"]>, true>> = {
  message: true,
  request: true,
  note: true,
};

/** Of entries that change the past. */
export const EPOCH_TYPES = Object.keys(CHANGES) as readonly EpochEntry["type"][];
export const ENTRY_TYPES: readonly Entry["type"][] = [
  ...(Object.keys(OTHERS) as readonly Entry["type"][]),
  ...EPOCH_TYPES,
];
