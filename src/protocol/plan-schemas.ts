/** Plans, prompts, budgets and the strip as they are answered. */
import { z } from "zod";
import { SECTION_ORDER } from "../core/sections/section.ts";
import { TIERS } from "../core/sections/tier.ts";
import { compactionReport } from "./summary-schemas.ts";
import { documentSchema, seqSchema } from "./values.ts";

const fate = z.enum(["verbatim", "pinned", "pruned", "cut", "summarised", "truncated", "cleared", "deleted"]);
const tier = z.enum(TIERS);

const planTier = z.strictObject({
  tier,
  tokens: z.number(),
  items: z.array(
    z.strictObject({ key: z.string(), seen: z.number(), risesAt: z.number().optional(), tokens: z.number() }),
  ),
});

const fired = z.strictObject({
  type: z.string(),
  need: z.enum(["soft", "hard"]),
  reason: z.string(),
  atDepthCap: z.enum(["fold", "truncate"]).optional(),
});
const suppressed = z.strictObject({ type: z.string(), why: z.string() });

export const plan = z.strictObject({
  epoch: z.number().int(),
  runs: z.array(
    z.strictObject({
      firstSeq: seqSchema,
      lastSeq: seqSchema,
      fate,
      reason: z.string(),
      entryId: z.string().optional().describe("The entry that decided it."),
      tokens: z.number().describe("As shown; 0 for what is not shown itself."),
    }),
  ),
  need: z
    .strictObject({ need: z.enum(["none", "soft", "hard"]), fired: z.array(fired), suppressed: z.array(suppressed) })
    .optional(),
  gate: documentSchema.optional().describe("Whether a compaction that could wait would have paid, with every term."),
  held: z.string().optional(),
  relaxedLaws: z.array(z.string()).optional(),
  tiers: z.array(planTier).optional(),
});

export const explanation = z.strictObject({
  messageId: z.string(),
  seq: seqSchema,
  fate,
  reason: z.string(),
  entryId: z.string().optional(),
  isShown: z.boolean().describe("Whether the model sees any of its own words in the next prompt."),
  isAhead: z
    .boolean()
    .optional()
    .describe(
      "Whether it is so for the next prompt alone, which would be too large otherwise: nothing of that is stored yet.",
    ),
});

export const budget = z.strictObject({
  historyTokens: z.number().describe("Stored history: live summary, pins and the messages after it."),
  promptTokens: z.number().optional().describe("What the next prompt takes; absent where none can be sent."),
  maxHistoryTokens: z.number(),
  maxInputTokens: z.number(),
  windowTokens: z.number(),
  reserveTokens: z.number().describe("Of the window, for the reply."),
  remainingTokens: z.number(),
  needsSummary: z.boolean(),
  compaction: z.strictObject({
    enabled: z.boolean(),
    triggerTokens: z.number(),
    targetTokens: z.number().describe("How small a compaction is to make a prompt."),
    currentTokens: z.number(),
    percent: z.number().describe("Of the trigger; 100 and more means that a compaction is due."),
    lastSummarization: z
      .strictObject({ depth: z.number(), messageCount: z.number(), tokenRatio: z.number() })
      .optional(),
  }),
});

const workspaceReport = z.strictObject({
  tokens: z.number(),
  tiers: z.array(planTier).optional(),
  moves: z.array(z.strictObject({ key: z.string(), from: tier.optional(), to: tier.optional(), reason: z.string() })),
  broken: z.array(tier),
  shed: z.array(z.strictObject({ path: z.string(), tokens: z.number() })),
  gone: z.array(z.string()),
  hiddenOutlines: z.number(),
  frozen: z.strictObject({ sincePromptId: z.string(), outdated: z.array(z.string()) }).optional(),
});

const section = z.enum(SECTION_ORDER);

export const promptReport = z.strictObject({
  sessionId: z.string(),
  promptId: z.string(),
  epoch: z.number().int(),
  counter: z.strictObject({ id: z.string(), exact: z.boolean(), factor: z.number() }),
  tokens: z.number(),
  limitTokens: z.number(),
  windowTokens: z.number(),
  reserveTokens: z.number(),
  meter: z.strictObject({
    promptTokens: z.number(),
    shareOfWindow: z.number(),
    conversationTokens: z.number(),
    shareOfBudget: z.number(),
  }),
  sections: z.array(z.strictObject({ name: section, tokens: z.number() })),
  changes: z.array(z.strictObject({ section, reason: z.string(), entryId: z.string().optional() })),
  volatileBlocks: z.number(),
  note: z
    .strictObject({
      state: z.enum(["added", "unchanged", "once"]),
      tokens: z.number(),
      cost: z.string().optional(),
    })
    .optional(),
  compaction: compactionReport.optional(),
  compactions: z.array(compactionReport),
  repairs: z.array(z.strictObject({ kind: z.string(), messageId: z.string(), text: z.string() })),
  thinking: z
    .strictObject({
      sentBlocks: z.number().int(),
      leftOut: z.array(
        z.strictObject({
          reason: z.enum([
            "unknown-prompt",
            "other-model",
            "instructions",
            "tools",
            "summary",
            "view",
            "messages",
            "format",
          ]),
          blocks: z.number().int(),
          tokens: z.number(),
        }),
      ),
    })
    .optional()
    .describe("Thinking that was sent and left out, for models that bind it to what stood before it."),
  warnings: z.array(z.string()),
  policy: z.string(),
  summary: z
    .strictObject({
      id: z.string(),
      depth: z.number(),
      throughMessageId: z.string(),
      toolCallRoundId: z.string(),
      text: z.string(),
    })
    .optional(),
  relaxedLaws: z.array(z.string()),
  workspace: workspaceReport.optional(),
  plan,
});

export const promptAnswer = z.strictObject({
  id: z.string(),
  prompt: documentSchema.describe("In the provider's own shape: hand it over as it is."),
  report: promptReport,
});

export const viewAnswer = promptAnswer.extend({
  tools: z
    .array(z.strictObject({ name: z.string(), description: z.string(), inputSchema: documentSchema }))
    .describe("Tools that a chat of the server sends beside it."),
});

const weight = {
  messages: z.number().int(),
  tokens: z.number().describe("As they were said."),
  shownTokens: z.number().describe("As the next prompt shows them."),
};

export const strip = z.strictObject({
  firstSeq: seqSchema,
  lastSeq: seqSchema,
  epoch: z.number().int(),
  ...weight,
  buckets: z.array(
    z.strictObject({
      firstSeq: seqSchema,
      lastSeq: seqSchema,
      ...weight,
      fates: z.array(z.strictObject({ fate, ...weight })).describe("Every fate that a message of it has."),
    }),
  ),
});

export const workspace = z.strictObject({
  files: z.array(
    z.strictObject({
      path: z.string(),
      tokens: z.number(),
      tier: tier.optional().describe("Where it stood in the newest prompt."),
      state: z.enum(["shown", "gone", "unread"]),
    }),
  ),
  links: z.array(z.strictObject({ url: z.string(), title: z.string().optional(), tokens: z.number() })),
  hasReview: z.boolean(),
  tree: z.array(z.string()).optional(),
  tiers: z.array(z.strictObject({ tier, items: z.number().int(), tokens: z.number() })),
});
