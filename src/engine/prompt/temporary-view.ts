/** Shares the smaller view made for one prompt: strip, plan, explanations and budget need the same one. */
import type { Head } from "../../core/log/head.ts";
import type { View } from "../../core/log/view.ts";
import type { CompactionReport } from "../compaction/write-proposal.ts";
import type { CompactOptions } from "../state/preparation.ts";

export interface TemporaryView {
  readonly view: View;
  readonly report: CompactionReport;
}

interface SharedView {
  readonly options: CompactOptions;
  readonly made: Promise<TemporaryView | undefined>;
}

/** Every entry makes a new head, and the view is dropped with its head. */
const knownByHead = new WeakMap<Head, SharedView>();

export function shareTemporaryView(
  { head, options }: { readonly head: Head; readonly options: CompactOptions },
  make: () => Promise<TemporaryView | undefined>,
): Promise<TemporaryView | undefined> {
  const known = knownByHead.get(head);
  if (known !== undefined && isSame(known.options, options)) return known.made;
  const made = make();
  const entry = { options, made };
  knownByHead.set(head, entry);
  made.catch(() => knownByHead.get(head) === entry && knownByHead.delete(head));
  return made;
}

/** Policies and counters are compared by identity. */
function isSame(one: CompactOptions, other: CompactOptions): boolean {
  if (one.settings !== other.settings || one.measure.counts !== other.measure.counts) return false;
  return describeOptions(one) === describeOptions(other);
}

function describeOptions({
  limits,
  measure,
  urgency,
  reason,
  writtenBy,
  mayShed,
  isFrozen,
  atDepthCap,
}: CompactOptions): string {
  const { surroundings, calibration, renderer } = measure;
  const { windowTokens, reserveTokens, limitTokens } = limits;
  const sizes = [windowTokens, reserveTokens, limitTokens, surroundings, calibration, renderer];
  return JSON.stringify([sizes, urgency, reason, writtenBy, mayShed, isFrozen === undefined, atDepthCap]);
}
