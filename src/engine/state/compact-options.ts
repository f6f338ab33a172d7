/** How one compaction is to be made. Only shapes. */
import type { GateVerdict } from "../../core/plan/economic-gate.ts";
import type { PlanSettings } from "../../core/plan/plan-settings.ts";
import type { TriggerType } from "../../core/plan/triggers/trigger.ts";
import type { OwnPrompt } from "../../ports/summarizer.ts";
import type { CompactionPhase } from "../context/events.ts";
import type { Limits, Measure } from "../context/prompt-size.ts";

export interface CompactOptions {
  readonly limits: Limits;
  readonly measure: Measure;
  readonly reason: string;
  readonly settings: PlanSettings;
  readonly urgency: "soft" | "hard";
  readonly phase: CompactionPhase;
  readonly triggers: readonly TriggerType[];
  readonly atDepthCap?: "fold" | "truncate" | undefined;
  readonly tailMessages?: number | undefined;
  readonly isSecondPass?: boolean | undefined;
  /** Whether a summarizer may be asked. Code may always write. */
  readonly writtenBy: "model" | "code" | "none";
  /** Whether there are files to be left out before words are cut. */
  readonly mayShed?: boolean | undefined;
  /** Messages that a provider has in its cache and that stand so far in front that they are left alone. */
  readonly isFrozen?: ((seq: number) => boolean) | undefined;
  readonly instructions?: string | undefined;
  readonly ownPrompt?: (() => OwnPrompt) | undefined;
  /** Whether a summary has to be paid for. */
  readonly isPriced?: boolean | undefined;
  /** Why what could have waited was done now. */
  readonly gate?: GateVerdict | undefined;
}
