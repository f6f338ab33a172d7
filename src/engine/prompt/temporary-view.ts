/**
 * The smaller view that was made for a prompt alone. Strip, plan, explanations, budget and the prompt itself are asked
 * for at once or one after another while nothing changes: the first makes it, and the others share it.
 */
import type { Head } from "../../core/log/head.ts";
import type { View } from "../../core/log/view.ts";
import type { CompactionReport } from "../compaction/write-proposal.ts";
import type { CompactOptions } from "../state/preparation.ts";

export interface TemporaryView {
  readonly view: View;
  readonly report: CompactionReport;
}

interface Known {
  readonly options: CompactOptions;
  readonly made: Promise<TemporaryView | undefined>;
}

/** A head is another with every entry, and is forgotten with the conversation that it is of. */
const knownByHead = new WeakMap<Head, Known>();

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

/** Policies and counters are the same objects while they hold. */
function isSame(one: CompactOptions, other: CompactOptions): boolean {
  if (one.settings !== other.settings || one.measure.counts !== other.measure.counts) return false;
  return print(one) === print(other);
}

function print({ limits, measure, urgency, reason, writtenBy, mayShed, isFrozen, atDepthCap }: CompactOptions): string {
  const { surroundings, calibration, renderer } = measure;
  const { windowTokens, reserveTokens, limitTokens } = limits;
  const sizes = [windowTokens, reserveTokens, limitTokens, surroundings, calibration, renderer];
  return JSON.stringify([sizes, urgency, reason, writtenBy, mayShed, isFrozen === undefined, atDepthCap]);
}
