/** The workspace of a session: files, links, the tree; and images of messages. */
import { z } from "zod";
import { workspace } from "./plan-schemas.ts";
import { defineRoutes } from "./route.ts";
import { idSchema, lineSchema, textSchema } from "./values.ts";

const removed = z.strictObject({ removed: z.boolean() });

export const WORKSPACE_ROUTES = {
  ...defineRoutes("workspace", {
    readWorkspace: {
      summary: "Returns the files and links of a session with their tokens and tiers, and the tree of the repository.",
      response: workspace,
    },
    addFile: {
      summary: "Adds a file of the repository, or a named text.",
      body: z.strictObject({ path: lineSchema.min(1), text: textSchema.optional() }),
      response: z.strictObject({ added: z.boolean().describe("False if the repository has no such file.") }),
    },
    removeFile: { summary: "Removes a file.", query: z.strictObject({ path: lineSchema.min(1) }), response: removed },
    addLink: {
      summary: "Adds a link with the given text, or with the text of its page.",
      body: z.strictObject({ url: lineSchema.min(1), text: textSchema.optional() }),
      response: z.discriminatedUnion("type", [
        z.strictObject({ type: z.literal("added"), url: z.string() }),
        z.strictObject({ type: z.literal("refused"), url: z.string(), reason: z.string() }),
      ]),
    },
    removeLink: { summary: "Removes a link.", query: z.strictObject({ url: lineSchema.min(1) }), response: removed },
  }),
  ...defineRoutes("messages", {
    putImage: {
      summary: "Uploads an image of at most 5 MB. A message uses the returned `reference` as the address of the image.",
      response: z.strictObject({
        id: z.string(),
        reference: z.string().describe("Address of the image in messages of this session, valid for an hour."),
        mediaType: z.string(),
        bytes: z.number().int(),
      }),
    },
    readImage: {
      summary: "Returns an image or file of a message, counted from 0 in the order of its parts.",
      params: z.object({ id: idSchema, messageId: idSchema, index: z.coerce.number().int().min(0).max(1_000) }),
    },
  }),
};
