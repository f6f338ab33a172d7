/** What whoever runs a server asks, and what a first visitor tries. */
import { z } from "zod";
import { route } from "./route.ts";
import { sessionSummary } from "./session-schemas.ts";
import { documentSchema, idSchema, sessionParams } from "./values.ts";

const settings = z.strictObject({
  policy: documentSchema.describe("The policy that holds now, with every number."),
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
  events: route({
    method: "GET",
    path: "/api/events",
    tag: "operations",
    summary: "What happens, as server-sent events; goes on after the id that a client has seen (`last-event-id`).",
    query: z.strictObject({ sessionId: idSchema.optional() }),
    gives: "events",
  }),
  readSettings: route({
    method: "GET",
    path: "/api/settings",
    tag: "operations",
    summary: "The policy that holds, where it comes from, the models that can be asked, the limits. Never a key.",
    response: settings,
  }),
  writeSettings: route({
    method: "PUT",
    path: "/api/settings",
    tag: "operations",
    summary: "Another policy, checked before it is written to the configuration file. The next prompt follows it.",
    body: z.strictObject({ policy: z.union([z.string(), documentSchema]) }),
    response: settings,
    isAudited: true,
  }),
  checkSettings: route({
    method: "POST",
    path: "/api/settings/checks",
    tag: "operations",
    summary: "What would hold with another policy, or what is wrong with it. Nothing is written.",
    body: z.object({ policy: z.union([z.string(), documentSchema]) }),
    response: z.discriminatedUnion("type", [
      z.strictObject({ type: z.literal("valid"), policy: documentSchema }),
      z.strictObject({ type: z.literal("invalid"), key: z.string().optional(), message: z.string() }),
    ]),
  }),
  listPresets: route({
    method: "GET",
    path: "/api/settings/presets",
    tag: "operations",
    summary: "Every policy that has a name, with all its settings.",
    response: z.strictObject({ presets: z.array(z.strictObject({ name: z.string(), policy: documentSchema })) }),
  }),
  openSample: route({
    method: "POST",
    path: "/api/sample",
    tag: "sample",
    summary: "A new session for the bundled sample conversation, to be played turn by turn in a small window.",
    body: z.strictObject({}),
    response: z.strictObject({
      session: sessionSummary,
      turns: z.number().int(),
      windowTokens: z.number().int(),
      reserveTokens: z.number().int(),
    }),
  }),
  readSample: route({
    method: "GET",
    path: "/api/sessions/:id/sample",
    tag: "sample",
    summary: "How far the sample was played.",
    params: sessionParams,
    response: z.strictObject({
      turn: z.number().int().describe("Turns that were played."),
      turns: z.number().int(),
      isOver: z.boolean(),
    }),
  }),
  playSample: route({
    method: "POST",
    path: "/api/sessions/:id/sample/next",
    tag: "sample",
    summary: "Plays the next turn of the sample: what is asked, the prompt for it, and the answer as it was written.",
    params: sessionParams,
    body: z.strictObject({}),
    response: z.strictObject({
      turn: z.number().int().describe("From 1 on; how many there are when all are played."),
      turns: z.number().int(),
      isOver: z.boolean(),
      messageIds: z.array(z.string()),
      tokens: z.number().optional(),
      limitTokens: z.number().optional(),
      compactions: z.number().int().optional(),
    }),
  }),
  health: route({
    method: "GET",
    path: "/health",
    tag: "operations",
    summary: "Whether this process is alive.",
    response: z.strictObject({ status: z.literal("alive") }),
    isOpen: true,
  }),
  ready: route({
    method: "GET",
    path: "/ready",
    tag: "operations",
    summary: "Whether store and jobs answer, by trying them; 503 with the one that failed.",
    response: z.strictObject({
      status: z.enum(["ready", "failed"]),
      checks: z.array(check),
      deadLetters: z.number().int().optional(),
    }),
  }),
  metrics: route({
    method: "GET",
    path: "/metrics",
    tag: "operations",
    summary: "Figures of all tenants in the text format of Prometheus, for whoever runs the server.",
    gives: "text",
    isForOwner: true,
  }),
  openApi: route({
    method: "GET",
    path: "/openapi.json",
    tag: "operations",
    summary: "This protocol as an OpenAPI document.",
    response: documentSchema,
  }),
  apiPage: route({
    method: "GET",
    path: "/api",
    tag: "operations",
    summary: "This protocol as a page.",
    gives: "html",
  }),
  apiStyle: route({
    method: "GET",
    path: "/api/page.css",
    tag: "operations",
    summary: "How the page looks.",
    gives: "css",
  }),
} as const;
