/** What stands beside a session: files, pages, the tree; and images that messages refer to. */
import { z } from "zod";
import { workspace } from "./plan-schemas.ts";
import { route } from "./route.ts";
import { idSchema, lineSchema, sessionParams, textSchema } from "./values.ts";

const removed = z.strictObject({ removed: z.boolean() });

export const WORKSPACE_ROUTES = {
  readWorkspace: route({
    method: "GET",
    path: "/api/sessions/:id/workspace",
    tag: "workspace",
    summary: "Files and pages that stand beside a session with their tokens and tiers, and the tree of the repository.",
    params: sessionParams,
    response: workspace,
  }),
  addFile: route({
    method: "POST",
    path: "/api/sessions/:id/workspace/files",
    tag: "workspace",
    summary: "Shows a file of the repository, or a text under a name.",
    params: sessionParams,
    body: z.strictObject({ path: lineSchema.min(1), text: textSchema.optional() }),
    response: z.strictObject({ added: z.boolean().describe("False where the repository has no such file.") }),
  }),
  removeFile: route({
    method: "DELETE",
    path: "/api/sessions/:id/workspace/files",
    tag: "workspace",
    summary: "Shows a file no more.",
    params: sessionParams,
    query: z.strictObject({ path: lineSchema.min(1) }),
    response: removed,
  }),
  addLink: route({
    method: "POST",
    path: "/api/sessions/:id/workspace/links",
    tag: "workspace",
    summary: "Shows a page: its text as given, or as it is read now.",
    params: sessionParams,
    body: z.strictObject({ url: lineSchema.min(1), text: textSchema.optional() }),
    response: z.discriminatedUnion("type", [
      z.strictObject({ type: z.literal("added"), url: z.string() }),
      z.strictObject({ type: z.literal("refused"), url: z.string(), reason: z.string() }),
    ]),
  }),
  removeLink: route({
    method: "DELETE",
    path: "/api/sessions/:id/workspace/links",
    tag: "workspace",
    summary: "Shows a page no more.",
    params: sessionParams,
    query: z.strictObject({ url: lineSchema.min(1) }),
    response: removed,
  }),
  putImage: route({
    method: "PUT",
    path: "/api/sessions/:id/images",
    tag: "messages",
    summary:
      "Takes an image of at most 5 MB. A message names it by the answer's `reference` where its image would stand.",
    params: sessionParams,
    takes: "bytes",
    response: z.strictObject({
      id: z.string(),
      reference: z.string().describe("Stands for the image's address in messages of this session, for an hour."),
      mediaType: z.string(),
      bytes: z.number().int(),
    }),
  }),
  readImage: route({
    method: "GET",
    path: "/api/sessions/:id/messages/:messageId/images/:index",
    tag: "messages",
    summary: "An image or file of a message, counted from 0 in the order of its parts.",
    params: z.object({ id: idSchema, messageId: idSchema, index: z.coerce.number().int().min(0).max(1_000) }),
    gives: "bytes",
  }),
} as const;
