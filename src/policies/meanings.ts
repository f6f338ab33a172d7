/**
 * What each setting and each named policy does, in one sentence or two: for the schema of configuration files, the
 * command `policies`, and docs/policies.md, which a test compares with these texts.
 */
import type { PolicyName } from "./policy-input.ts";

export const SETTING_MEANINGS: Readonly<Record<string, string>> = {
  name: "The name of the policy in reports.",
  enabled:
    "If false, nothing is compacted in the log; a prompt that does not fit is made smaller for that one request.",
  phase: "When optional compactions run: before a prompt, or after a reply.",
  triggers: "When to compact, in addition to overflow, refusal and manual requests, which always apply.",
  counter: "The counter, if it is not the model's own.",
  triggerTokens:
    "History above this is reported as due for compaction. Without `triggers`, it also sets a `tokens` trigger.",
  triggerTokensByWindow:
    "Whether the `tokens` trigger is ¾ of the named model's window, such as 6,000 at 8k. Setting the trigger's number turns this off.",
  triggerRatio:
    "History above this share of the limit (or of the window, with a `ratio` trigger `of` the window) is reported as due for compaction, if `triggerTokens` is absent. Under `default` without `triggers`, it also sets the `ratio` trigger.",
  targetRatio: "How small an unavoidable compaction makes the prompt.",
  "tail.messages":
    "How many of the newest messages stay. If several settings of the tail are set, the one that keeps most applies.",
  "tail.textMessages": "How many of the newest user and assistant messages with text stay.",
  "tail.tokens": "The newest messages within this many tokens stay.",
  "tail.exchanges": "How many of the newest turns that begin with a user message stay.",
  "tail.rounds": "How many of the newest rounds stay.",
  "tail.ratio":
    "The newest messages within this share of the prompt's limit stay; the share is doubled for the part of the limit above 40,000.",
  "tail.openRounds":
    "How many of the newest rounds of the open turn stay; the whole turn if it has no more rounds. Overrides the other settings.",
  "tail.otherwiseTokens":
    "The newest messages within this many tokens stay if the settings above leave nothing to fold.",
  "tail.otherwiseExchanges": "How many of the newest turns stay in that case.",
  span: "What is folded: as few of the oldest rounds as the target requires, everything before the tail, or the older half.",
  shrinksBy: "What a compaction must reduce.",
  reserve:
    "What is reserved if `reserveTokens` is not set: tokens for a reply, or nothing. If absent, tokens for a reply.",
  "budget.thresholdTokens": "The prompt's limit, if it is lower than the model's.",
  "budget.share": "The share of the limit that a prompt may use.",
  pruneFirst: "Whether tool output is pruned before anything is folded.",
  "prune.rules": "The rule set.",
  "prune.minimumTokens": "Results smaller than this stay.",
  "prune.exemptTools": "Tools whose results stay.",
  "prune.protectTokens": "The newest results within this many tokens stay, even before the tail.",
  "prune.minimumBatchTokens": "Prunes that together save fewer tokens are not made.",
  "prune.previewTokens": "The most tokens for the first and last lines of a pruned result, which stay.",
  "prune.enoughRatio":
    "If a summary would cost money and pruning alone makes the prompt this small, no summary is requested.",
  "prune.inLoop": "If true, every prompt is pruned and nothing is written to the log.",
  "summary.strategy": "How a summary is requested from a model; `offline` calls none.",
  "summary.renderer": "How the model reads a summary, see [renderers](#renderers).",
  "summary.maxTokens": "The maximum size of a summary.",
  "summary.ratio":
    "The maximum size as a share of the prompt's limit; half the share for the part beyond 12,000 tokens. The smaller of the two maximums applies.",
  "summary.smallTokens":
    "The tokens that a summary may always take in a small prompt, up to three quarters of it. With 0, only the share applies.",
  "summary.onOversize":
    "Whether an answer that is too long is requested once more and then trimmed at the end of a sentence, or rejected.",
  "summary.onFailure": "If no model could write a summary: code writes it, or nothing is changed.",
  "summary.abortOnFailure": "Whether the call fails with `summarizer-failed` if no summary could be written.",
  "summary.waitMs":
    "How long a prompt waits for a summarizer in total, and how long other calls wait without progress. Then code writes the summary.",
  "summary.protectedShare": "The share of a summary that protected facts may take.",
  "summary.addMissing": "Whether code adds to a model's text the important lines that the text does not cover.",
  "summary.headings":
    "Language of the headings in a summary by code: English, or the language of most of the user's messages.",
  "summary.modelPreference":
    "Models in order of preference. Other configured models are used only if none of these can write the summary.",
  "summary.secondPass": "Whether to compact again, with a shorter tail, if the prompt is still above the trigger.",
  "topics.mode": "When to search for a change of topic: never, before summarizing, or only if folding is not enough.",
  "topics.detector": "What searches for the change of topic: a model, or code.",
  "topics.minConfidence": "A change of topic with less confidence is ignored.",
  gate: "Whether optional compactions must pay for themselves.",
  "background.prepareRatio":
    "Halfway between this share of the prompt's limit and `applyRatio`, a compaction is prepared even if it does not pay yet.",
  "background.applyRatio":
    "At this share of the prompt's limit, a prepared compaction is written even if it does not pay.",
  keepOpenRequest: "Whether the last two requests stay verbatim when the messages around them are folded.",
  "visible.messagesWithSummary":
    "With a summary, the number of messages with text that are sent before the new user message.",
  "visible.messagesWithoutSummary":
    "Without a summary, the number of messages with text that are sent before the new user message.",
  "visible.textOnly":
    "If true, only the text of messages before the new user message is sent: no calls, results, files, system messages or blank messages.",
  clear: "How long `clear()` hides messages by default. If absent, for good.",
  "recall.enabled": "Whether prompts quote hidden messages about the newest request.",
  "recall.ratio": "The share of the prompt's limit that recalled passages may take, up to `smallTokens`.",
  "recall.smallTokens": "The size up to which `ratio` applies.",
  "recall.largeRatio":
    "The share of the prompt's limit that recalled passages may take if that share is more than `smallTokens`.",
  "recall.maxTokens": "The most tokens of recalled passages in one prompt.",
  "recall.otherSessions":
    "How many of the tenant's most recently used other sessions are searched for passages to quote. With 0, none is.",
  providerCompaction:
    "How a compaction that a provider wrote is used: in addition to the messages before it, or instead of them. If absent, in addition.",
  retention:
    'Whether the text of messages that a summary covers is kept. Without the text, `"tombstone"` keeps id, role, counts and hash, and `"delete"` the same without the hash.',
  pinRatio: "The share of the prompt's limit that pins may take.",
  maxCompactionsPerPrompt: "The most compactions that one prompt may cause.",
  pauseMs: "The pause between a reply and an optional compaction.",
  "emergency.ratio":
    "If no compaction succeeded, the oldest messages are truncated when the history exceeds this multiple of the trigger.",
  "emergency.to":
    "The size to which the history is truncated: that multiple of the trigger, or the trigger itself. If absent, that multiple.",
  relaxedLaws: "Laws that the policy relaxes. Laws that other settings relax are added.",
  cacheTargetTokens:
    "The smallest cache tier that gets a breakpoint, in tokens. If absent, 10 % above the provider's minimum.",
  cacheTiers:
    "The order of a workspace in the prompt: flat, by the rules of the preset's document, or by Palimpsest's rules. If absent, by Palimpsest's rules.",
  breakpoints:
    'Whether prompts have cache breakpoints, if the request does not decide it. `"with-compaction"`: only while compaction is on and has not failed. If absent, always.',
  onCancel:
    "What is stored of a canceled reply: the received text, marked as canceled, or nothing. If absent, the received text.",
  blockInput:
    "When the page blocks input: during every compaction, or only while the window is full. If absent, only while it is full.",
};

export const POLICY_MEANINGS: Readonly<Record<PolicyName, string>> = {
  default:
    "Replaces everything before a short tail with one verified summary when that pays for itself. A prompt that would not fit is compacted at once.",
  "rolling-chat":
    "Summarizes in the background after a reply. It sends the summary, the last six messages (twenty while there is no summary), the new user message, and all rounds that the reply adds.",
  "windowed-sql":
    "Summarizes before a request, estimates tokens from the number of words, and deletes the messages that a summary covers.",
  "agent-rounds":
    "Compacts when the prompt exceeds a share of the model's input limit. It folds all rounds of the open turn but the newest, or the earlier turns if the open turn has only one round.",
  workspace:
    "Waits half a second after a reply, then has a model find the last change of topic. It truncates everything before that change; if the topic did not change, it summarizes.",
  "ratio-chain":
    "Builds a chain of summaries before a request, with a minimum number of messages, a cooldown, hysteresis and a maximum depth.",
};
