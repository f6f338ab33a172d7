/** Routes to operate a server, and the sample conversation. */
import { z } from "zod";
import { defineRoutes } from "./route.ts";
import { sessionSummary } from "./session-schemas.ts";
import { documentSchema, idSchema } from "./values.ts";

const settings = z.strictObject({
  policy: documentSchema.describe("The current policy, with all settings."),
  sources: z.array(
    z.strictObject({
      type: z.enum(["defaults", "file", "environment", "options"]),
      path: z.string().optional(),
      names: z.array(z.string()).optional(),
    }),
  ),
  isWritable: z.boolean(),
  models: z.array(z.strictObject({ id: z.string(), isOffline: z.boolean() })),
  limits: z.record(z.string(), z.number()),
  version: z.string(),
});

const check = z.strictObject({
  name: z.enum(["store", "jobs"]),
  status: z.enum(["ready", "failed"]),
  durationMs: z.number(),
  reason: z.string().optional(),
});

export const OPERATION_ROUTES = {
  ...defineRoutes("operations", {
    events: {
      summary: "Streams events as server-sent events, after the id in `last-event-id`.",
      query: z.strictObject({ sessionId: idSchema.optional() }),
    },
    readSettings: {
      summary: "Returns the current policy, its sources, the models and the limits. Never an API key.",
      response: settings,
    },
    writeSettings: {
      summary: "Checks a policy and writes it to the configuration file. It applies to the next prompt.",
      body: z.strictObject({ policy: z.union([z.string(), documentSchema]) }),
      response: settings,
      role: "admin",
      isAudited: true,
    },
    checkSettings: {
      summary: "Returns the settings that result from a policy, or what is wrong with it. Writes nothing.",
      body: z.object({ policy: z.union([z.string(), documentSchema]) }),
      response: z.discriminatedUnion("type", [
        z.strictObject({ type: z.literal("valid"), policy: documentSchema }),
        z.strictObject({ type: z.literal("invalid"), key: z.string().optional(), message: z.string() }),
      ]),
    },
    listPresets: {
      summary: "Lists all named policies with their settings.",
      response: z.strictObject({ presets: z.array(z.strictObject({ name: z.string(), policy: documentSchema })) }),
    },
  }),
  ...defineRoutes("sample", {
    openSample: {
      summary: "Creates a session for the sample conversation, to be played turn by turn in a small window.",
      body: z.strictObject({}),
      response: z.strictObject({
        session: sessionSummary,
        turns: z.number().int(),
        windowTokens: z.number().int(),
        reserveTokens: z.number().int(),
      }),
    },
    readSample: {
      summary: "Returns how many turns of the sample were played.",
      response: z.strictObject({
        turn: z.number().int().describe("Turns played."),
        turns: z.number().int(),
        isOver: z.boolean(),
      }),
    },
    playSample: {
      summary: "Plays the next turn of the sample: the question, its prompt, and the recorded answer.",
      body: z.strictObject({}),
      response: z.strictObject({
        turn: z
          .number()
          .int()
          .describe("Number of the turn that was played, from 1; equals `turns` when all are played."),
        turns: z.number().int(),
        isOver: z.boolean(),
        messageIds: z.array(z.string()),
        tokens: z.number().optional(),
        limitTokens: z.number().optional(),
        compactions: z.number().int().optional(),
      }),
    },
  }),
  ...defineRoutes("operations", {
    health: {
      summary: "Reports that the process is alive.",
      response: z.strictObject({ status: z.literal("alive") }),
      isOpen: true,
    },
    ready: {
      summary: "Checks store and jobs; 503 names the one that failed.",
      response: z.strictObject({
        status: z.enum(["ready", "failed"]),
        checks: z.array(check),
        deadLetters: z.number().int().optional(),
      }),
    },
    metrics: {
      summary: "Returns metrics of all tenants in the text format of Prometheus. Only for the owner of the server.",
      isForOwner: true,
    },
    openApi: { summary: "Returns this API as an OpenAPI document.", response: documentSchema },
    apiPage: { summary: "Returns the documentation of this API as an HTML page." },
    apiStyle: { summary: "Returns the style sheet of that page." },
  }),
};
