/** Schemas of answers: plans, prompts, budgets and the strip. */
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
      entryId: z.string().optional().describe("The entry that set the fate."),
      tokens: z.number().describe("Tokens in the prompt; 0 if the messages are not shown."),
    }),
  ),
  need: z
    .strictObject({ need: z.enum(["none", "soft", "hard"]), fired: z.array(fired), suppressed: z.array(suppressed) })
    .optional(),
  gate: documentSchema
    .optional()
    .describe("Whether an optional compaction would have paid for itself, with all figures of the comparison."),
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
  isShown: z.boolean().describe("True if the next prompt contains text of the message itself."),
  isAhead: z
    .boolean()
    .optional()
    .describe(
      "True if this applies to the next prompt only, which would be too large otherwise. Nothing is stored yet.",
    ),
  recalled: z
    .array(
      z.strictObject({
        entryId: z.string().optional().describe("Absent if only the next prompt would have the block."),
        afterSeq: z.number().int().describe("The block follows this message."),
        words: z.array(z.string()).describe("Words of the request that the message has."),
        tokens: z.number().int(),
      }),
    )
    .optional()
    .describe("The recalled blocks that quote the message."),
  isDismissed: z.boolean().optional().describe("True if recall leaves the message out."),
});

export const budget = z.strictObject({
  historyTokens: z.number().describe("Stored history: pins, the live summary and the messages after it."),
  promptTokens: z.number().optional().describe("Tokens of the next prompt; absent if none can be made."),
  maxHistoryTokens: z.number(),
  maxInputTokens: z.number(),
  windowTokens: z.number(),
  reserveTokens: z.number().describe("Part of the window that is kept for the reply."),
  remainingTokens: z.number(),
  needsSummary: z.boolean(),
  compaction: z.strictObject({
    enabled: z.boolean(),
    triggerTokens: z.number(),
    targetTokens: z.number().describe("Prompt size that a compaction aims for."),
    currentTokens: z.number(),
    percent: z.number().describe("Percentage of the trigger; a compaction is due at 100."),
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
  recalled: z
    .strictObject({
      text: z.string().describe("The block as the model reads it."),
      passages: z.array(
        z.strictObject({
          sessionId: z.string().optional().describe("The session that has the message, if it is another one."),
          seq: seqSchema,
          messageId: z.string(),
          words: z.array(z.string()).describe("Words of the request that the message has."),
          tokens: z.number().int(),
        }),
      ),
      tokens: z.number().int(),
    })
    .optional()
    .describe("Passages of hidden messages that the prompt quotes after the newest message."),
  note: z
    .strictObject({ state: z.enum(["added", "unchanged", "once"]), tokens: z.number(), cost: z.string().optional() })
    .optional(),
  compaction: compactionReport.optional(),
  compactions: z.array(compactionReport),
  providerCompaction: z
    .strictObject({ by: z.enum(["anthropic", "openai"]), messageId: z.string(), place: z.enum(["first", "in-place"]) })
    .optional()
    .describe("The newest compaction that a provider wrote, and where requests to that provider have it."),
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
    .describe("Thinking blocks sent and left out, for models that bind them to the preceding messages."),
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
  prompt: documentSchema.describe("The prompt in the provider's format. Send it unchanged."),
  report: promptReport,
});

export const viewAnswer = promptAnswer.extend({
  tools: z
    .array(z.strictObject({ name: z.string(), description: z.string(), inputSchema: documentSchema }))
    .describe("Tools that the chat sends with the prompt."),
});

const weight = {
  messages: z.number().int(),
  tokens: z.number().describe("Tokens of the original messages."),
  shownTokens: z.number().describe("Tokens in the next prompt."),
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
      fates: z.array(z.strictObject({ fate, ...weight })).describe("All fates of its messages."),
    }),
  ),
});

export const workspace = z.strictObject({
  files: z.array(
    z.strictObject({
      path: z.string(),
      tokens: z.number(),
      tier: tier.optional().describe("Tier in the newest prompt."),
      state: z.enum(["shown", "gone", "unread"]),
    }),
  ),
  links: z.array(z.strictObject({ url: z.string(), title: z.string().optional(), tokens: z.number() })),
  hasReview: z.boolean(),
  tree: z.array(z.string()).optional(),
  tiers: z.array(z.strictObject({ tier, items: z.number().int(), tokens: z.number() })),
});
