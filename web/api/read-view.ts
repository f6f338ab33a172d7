/** What the model would see, and the figures beside it. */
import { readFields, readList, readNumber, readText, readTexts } from "./fields.ts";
import type { CompactionState, TierLine, View } from "./values.ts";

export function readView(value: unknown): View {
  const { prompt, report: given } = readFields(value);
  const report = readFields(given);
  const counter = readFields(report.counter);
  const workspace = readFields(report.workspace);
  return {
    prompt,
    tokens: readNumber(report.tokens),
    limitTokens: readNumber(report.limitTokens),
    windowTokens: readNumber(report.windowTokens),
    reserveTokens: readNumber(report.reserveTokens),
    isExact: counter.exact === true,
    counter: readText(counter.id),
    policy: readText(report.policy),
    sections: readList(report.sections).map((each) => {
      const section = readFields(each);
      return { name: readText(section.name), tokens: readNumber(section.tokens) };
    }),
    changes: readList(report.changes).map((each) => {
      const change = readFields(each);
      return { section: readText(change.section), reason: readText(change.reason) };
    }),
    warnings: readTexts(report.warnings),
    tiers: readList(readFields(report.plan).tiers).map(readTier),
    shed: readList(workspace.shed).map((each) => {
      const file = readFields(each);
      return { path: readText(file.path), tokens: readNumber(file.tokens) };
    }),
    hiddenOutlines: readNumber(workspace.hiddenOutlines),
  };
}

function readTier(value: unknown): TierLine {
  const tier = readFields(value);
  return {
    tier: readText(tier.tier),
    tokens: readNumber(tier.tokens),
    items: readList(tier.items).map((each) => {
      const item = readFields(each);
      return { key: readText(item.key), seen: readNumber(item.seen), tokens: readNumber(item.tokens) };
    }),
  };
}

export function readCompactionState(value: unknown): CompactionState {
  const state = readFields(readFields(value).compaction);
  return {
    isEnabled: state.enabled === true,
    triggerTokens: readNumber(state.triggerTokens),
    targetTokens: readNumber(state.targetTokens),
    currentTokens: readNumber(state.currentTokens),
  };
}
