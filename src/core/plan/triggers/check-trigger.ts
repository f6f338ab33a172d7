/** Checks one trigger against the facts. `decide-need.ts` applies switches and undo holds. */
import {
  type ColdCacheTrigger,
  EMERGENCY_RATIO,
  type RatioTrigger,
  type RefreshTrigger,
  type Trigger,
  type TriggerType,
  type UnsummarizedTrigger,
} from "./trigger.ts";
import type { SizeFacts, TriggerFacts } from "./trigger-facts.ts";

export interface Firing {
  readonly type: TriggerType;
  readonly need: "soft" | "hard";
  readonly reason: string;
  /** Set only at the depth limit: what to do instead of adding a record. */
  readonly atDepthCap?: "fold" | "truncate" | undefined;
}

export type TriggerVerdict =
  | { readonly type: "quiet" }
  | { readonly type: "fires"; readonly firing: Firing }
  /** The trigger would fire, but a guard prevents it. */
  | { readonly type: "held"; readonly why: string };

const QUIET: TriggerVerdict = { type: "quiet" };

export function checkTrigger(trigger: Trigger, facts: TriggerFacts): TriggerVerdict {
  switch (trigger.type) {
    case "messages": {
      const { maxMessages } = trigger;
      if (facts.messages <= maxMessages) return QUIET;
      return foldIfAny(facts, { type: "messages", reason: `${facts.messages} messages, more than ${maxMessages}` });
    }
    case "unsummarised":
      return checkUnsummarized(trigger, facts);
    case "tokens": {
      const { conversationTokens } = facts;
      if (conversationTokens <= trigger.maxTokens) return QUIET;
      const reason = `${conversationTokens} tokens of conversation, more than ${trigger.maxTokens}`;
      return foldIfAny(facts, { type: "tokens", reason });
    }
    case "ratio":
      return checkRatio(trigger, facts);
    case "refresh":
      return checkRefresh(trigger, facts);
    case "cold-cache":
      return checkColdCache(trigger, facts);
    case "overflow": {
      const { promptTokens, limitTokens } = facts;
      if (promptTokens <= limitTokens) return QUIET;
      return createFiring({ type: "overflow", need: "hard", reason: describeOverflow(promptTokens, limitTokens) });
    }
    case "refusal":
      return facts.refusal === undefined
        ? QUIET
        : createFiring({ type: "refusal", need: "hard", reason: describeRefusedPrompt(facts.refusal) });
    case "manual":
      return facts.isAsked ? createFiring({ type: "manual", need: "soft", reason: "requested manually" }) : QUIET;
    default:
      return trigger satisfies never;
  }
}

export function describeOverflow(promptTokens: number, limitTokens: number): string {
  return `${withCommas(promptTokens)} tokens exceed the limit of ${withCommas(limitTokens)}`;
}

/** The first call of `toLocaleString` loads tables, which takes about 10 ms. */
function withCommas(tokens: number): string {
  return Number.isInteger(tokens) ? String(tokens).replace(/\B(?=(?:\d{3})+$)/g, ",") : tokens.toLocaleString("en");
}

function createFiring(firing: Firing): TriggerVerdict {
  return { type: "fires", firing };
}

/** Holds the trigger if only the newest message is left, which is never folded. */
function foldIfAny(facts: TriggerFacts, { type, reason }: Pick<Firing, "type" | "reason">): TriggerVerdict {
  if (facts.messages <= 1) return { type: "held", why: `${reason}, but there is no message before the newest one` };
  return createFiring({ type, need: "soft", reason });
}

function checkUnsummarized(trigger: UnsummarizedTrigger, facts: TriggerFacts): TriggerVerdict {
  const { threshold, countMode, tailMessages } = trigger;
  const { textMessages } = facts;
  if (countMode === "unsummarized" || facts.summaryRecords === 0) {
    if (textMessages <= threshold) return QUIET;
    const reason = `${textMessages} messages that no summary covers, more than ${threshold}`;
    return foldIfAny(facts, { type: trigger.type, reason });
  }
  const beyondTail = textMessages - tailMessages;
  if (beyondTail < threshold) return QUIET;
  const reason = `${beyondTail} messages between summary and tail, at least ${threshold}`;
  return foldIfAny(facts, { type: trigger.type, reason });
}

/** Checks the emergency ratio first, then the guards in order, so that the first guard that applies is reported. */
function checkRatio(trigger: RatioTrigger, facts: TriggerFacts): TriggerVerdict {
  const ratio = readRatio(trigger, facts);
  const measured = `${describeRatio(trigger, facts)} is a ratio of ${ratio.toFixed(3)}`;
  if (ratio >= EMERGENCY_RATIO) {
    const atDepthCap = findCapAction(trigger, facts);
    const reason = `${measured}, at or above the emergency ratio of ${EMERGENCY_RATIO}`;
    return createFiring({ type: "ratio", need: "hard", reason, atDepthCap });
  }
  if (ratio < trigger.triggerRatio) return QUIET;
  const reason = `${measured}, at or above the trigger ratio of ${trigger.triggerRatio}`;
  return fireUnlessHeld(trigger, { reason, why: findGuard(trigger, facts) ?? findDisarmed(trigger, facts), facts });
}

/** Before the first compaction, counts from the beginning. */
function checkRefresh(trigger: RefreshTrigger, facts: TriggerFacts): TriggerVerdict {
  const messages = facts.messagesSinceCompaction ?? facts.messages;
  if (messages < trigger.everyMessages) return QUIET;
  const reason = `${messages} messages since the last compaction, due every ${trigger.everyMessages}`;
  return fireUnlessHeld(trigger, { reason, why: findGuard(trigger, facts), facts });
}

interface GuardCheck {
  readonly reason: string;
  readonly why: string | undefined;
  readonly facts: TriggerFacts;
}

function fireUnlessHeld(trigger: ChainTrigger, { reason, why, facts }: GuardCheck): TriggerVerdict {
  if (why !== undefined) return { type: "held", why: `${reason}, but ${why}` };
  const atDepthCap = findCapAction(trigger, facts);
  return createFiring({ type: trigger.type, need: "soft", reason, atDepthCap });
}

/** Checks depth, minimum and cooldown in this order, and describes the first that prevents a compaction. */
function findGuard(trigger: ChainTrigger, facts: TriggerFacts): string | undefined {
  const { maxSummaryChainDepth, onDepthCap, minMessages, cooldownMessages } = trigger;
  if (onDepthCap === "stop" && isAtDepthCap(trigger, facts)) {
    return `the chain has ${facts.summaryRecords} of ${maxSummaryChainDepth} summaries`;
  }
  const shown = facts.messages + (facts.summaryRecords > 0 ? 1 : 0);
  if (shown < minMessages) return `the view has ${shown} messages, fewer than ${minMessages}`;
  const since = facts.messagesSinceCompaction;
  if (since === undefined || since >= cooldownMessages) return undefined;
  return `only ${since} of ${cooldownMessages} messages arrived since the last compaction`;
}

function findDisarmed(trigger: RatioTrigger, facts: TriggerFacts): string | undefined {
  const since = facts.messagesSinceCompaction;
  const enough = countRearmMessages(trigger);
  if (facts.armed || since === undefined || since >= enough) return undefined;
  return `it was not below ${trigger.resetRatio} since the last compaction, and only ${since} of ${enough} messages arrived`;
}

/** Returns what other triggers do at the depth limit: soft needs fold, hard ones follow the policy. */
export function findDepthCap(
  triggers: readonly Trigger[],
  { facts, need }: { readonly facts: ChainFacts; readonly need: "soft" | "hard" },
): "fold" | "truncate" | undefined {
  const guarded = triggers.find((trigger) => trigger.type === "ratio" || trigger.type === "refresh");
  if (guarded === undefined || !isAtDepthCap(guarded, facts)) return undefined;
  return need === "hard" ? findCapAction(guarded, facts) : "fold";
}

type ChainTrigger = RatioTrigger | RefreshTrigger;
type ChainFacts = Pick<TriggerFacts, "summaryRecords">;

function isAtDepthCap({ maxSummaryChainDepth }: ChainTrigger, { summaryRecords }: ChainFacts): boolean {
  return summaryRecords >= maxSummaryChainDepth;
}

/** With `onDepthCap: "stop"`, hard needs truncate messages. */
function findCapAction(trigger: ChainTrigger, facts: ChainFacts): "fold" | "truncate" | undefined {
  if (!isAtDepthCap(trigger, facts)) return undefined;
  return trigger.onDepthCap === "fold" ? "fold" : "truncate";
}

function checkColdCache(trigger: ColdCacheTrigger, facts: TriggerFacts): TriggerVerdict {
  const ttlMs = trigger.ttlMs ?? facts.cacheTtlMs;
  const { sinceRequestMs } = facts;
  if (sinceRequestMs !== undefined && sinceRequestMs <= ttlMs) return QUIET;
  if (readRatio({ of: "budget" }, facts) < (trigger.fromRatio ?? 0)) return QUIET;
  const idle = sinceRequestMs === undefined ? "nothing has been sent yet" : `nothing was sent for ${sinceRequestMs} ms`;
  return foldIfAny(facts, { type: trigger.type, reason: `${idle}, and a prefix is kept for ${ttlMs} ms` });
}

function describeRatio({ of }: RatioTrigger, facts: TriggerFacts): string {
  if (of === "window") return `${facts.promptTokens} tokens of a window of ${facts.windowTokens}`;
  return `${facts.conversationTokens} tokens of a budget of ${facts.budgetTokens}`;
}

function describeRefusedPrompt({ promptTokens, limitTokens }: NonNullable<TriggerFacts["refusal"]>): string {
  const counted = promptTokens === undefined ? "" : `; it counted ${promptTokens} tokens`;
  const allowed = limitTokens === undefined ? "" : `; it allows ${limitTokens} tokens`;
  return `the provider refused the prompt as too large${counted}${allowed}`;
}

/** Hysteresis of a ratio trigger: disarmed by a compaction, until the prompt is small or enough messages arrived. */
export interface ArmedState {
  readonly armed: boolean;
}

export interface ArmedOptions {
  readonly trigger: RatioTrigger;
  readonly facts: SizeFacts & Pick<TriggerFacts, "messagesSinceCompaction">;
  readonly hasCompacted: boolean;
}

/** Called with every estimate, and after every compaction with the facts of the new view. */
export function updateArmed(state: ArmedState, { trigger, facts, hasCompacted }: ArmedOptions): ArmedState {
  const isBelow = readRatio(trigger, facts) < trigger.resetRatio;
  const isLater = !hasCompacted && isEnough(trigger, facts.messagesSinceCompaction);
  return { armed: isBelow || isLater || (state.armed && !hasCompacted) };
}

function isEnough(trigger: RatioTrigger, messages: number | undefined): boolean {
  return messages === undefined || messages >= countRearmMessages(trigger);
}

export function countRearmMessages({ rearmAfterMessages = 0, cooldownMessages }: RatioTrigger): number {
  return Math.max(rearmAfterMessages, cooldownMessages);
}

/** Returns how full the prompt is, by the trigger's measure. Never NaN: a zero budget counts as full. */
export function readRatio({ of }: Pick<RatioTrigger, "of">, facts: SizeFacts): number {
  if (of === "window") return facts.promptTokens / Math.max(1, facts.windowTokens);
  return facts.conversationTokens / Math.max(1, facts.budgetTokens);
}
