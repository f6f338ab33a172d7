/** Names of all spans, metrics and attributes, as in `docs/telemetry.md`. They are a contract with dashboards. */
export const SCOPE = "palimpsest";

export const SPANS = {
  compaction: "palimpsest.compaction",
  summary: "palimpsest.summary",
  boundary: "palimpsest.boundary",
  request: "palimpsest.request",
} as const;

export const METRICS = {
  compactions: "palimpsest.compactions",
  compactionDuration: "palimpsest.compaction.duration",
  tokensSaved: "palimpsest.compaction.tokens_saved",
  calls: "palimpsest.summarizer.calls",
  attemptDuration: "palimpsest.summarizer.duration",
  cost: "palimpsest.summarizer.cost",
  cacheRead: "palimpsest.cache.tokens_read",
  cacheWritten: "palimpsest.cache.tokens_written",
  argumentDrifts: "palimpsest.arguments.drifts",
} as const;

export const ATTRIBUTES = {
  route: "palimpsest.route",
  method: "http.request.method",
  sessionId: "palimpsest.session.id",
  policy: "palimpsest.policy",
  phase: "palimpsest.phase",
  need: "palimpsest.need",
  triggers: "palimpsest.triggers",
  reason: "palimpsest.reason",
  outcome: "palimpsest.outcome",
  steps: "palimpsest.steps",
  tokensBefore: "palimpsest.tokens.before",
  tokensAfter: "palimpsest.tokens.after",
  ratio: "palimpsest.ratio",
  depth: "palimpsest.summary.depth",
  messages: "palimpsest.messages.compressed",
  calls: "palimpsest.calls",
  costUsd: "palimpsest.cost_usd",
  cachedTokens: "palimpsest.tokens.cached",
  durationMs: "palimpsest.duration_ms",
  strategy: "palimpsest.strategy",
  rule: "palimpsest.rule",
  cutResults: "palimpsest.results.cut",
  detector: "palimpsest.detector",
  confidence: "palimpsest.confidence",
  found: "palimpsest.boundary.found",
  side: "palimpsest.side",
  tool: "palimpsest.tool",
  model: "gen_ai.request.model",
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  cacheReadTokens: "gen_ai.usage.cache_read.input_tokens",
  cacheWriteTokens: "gen_ai.usage.cache_creation.input_tokens",
} as const;
