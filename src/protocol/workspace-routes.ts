/** The workspace of a session: files, links, the tree; and images of messages. */
import { z } from "zod";
import { workspace } from "./plan-schemas.ts";
import { withAddresses } from "./route.ts";
import { idSchema, lineSchema, sessionParams, textSchema } from "./values.ts";

const removed = z.strictObject({ removed: z.boolean() });

export const WORKSPACE_ROUTES = withAddresses({
  readWorkspace: {
    tag: "workspace",
    summary: "Returns the files and links of a session with their tokens and tiers, and the tree of the repository.",
    params: sessionParams,
    response: workspace,
  },
  addFile: {
    tag: "workspace",
    summary: "Adds a file of the repository, or a text under a name.",
    params: sessionParams,
    body: z.strictObject({ path: lineSchema.min(1), text: textSchema.optional() }),
    response: z.strictObject({ added: z.boolean().describe("False if the repository has no such file.") }),
  },
  removeFile: {
    tag: "workspace",
    summary: "Removes a file.",
    params: sessionParams,
    query: z.strictObject({ path: lineSchema.min(1) }),
    response: removed,
  },
  addLink: {
    tag: "workspace",
    summary: "Adds a link with the given text, or with the text of its page.",
    params: sessionParams,
    body: z.strictObject({ url: lineSchema.min(1), text: textSchema.optional() }),
    response: z.discriminatedUnion("type", [
      z.strictObject({ type: z.literal("added"), url: z.string() }),
      z.strictObject({ type: z.literal("refused"), url: z.string(), reason: z.string() }),
    ]),
  },
  removeLink: {
    tag: "workspace",
    summary: "Removes a link.",
    params: sessionParams,
    query: z.strictObject({ url: lineSchema.min(1) }),
    response: removed,
  },
  putImage: {
    tag: "messages",
    summary: "Uploads an image of at most 5 MB. A message uses the returned `reference` as the address of the image.",
    params: sessionParams,
    response: z.strictObject({
      id: z.string(),
      reference: z.string().describe("Address of the image in messages of this session, valid for an hour."),
      mediaType: z.string(),
      bytes: z.number().int(),
    }),
  },
  readImage: {
    tag: "messages",
    summary: "Returns an image or file of a message, counted from 0 in the order of its parts.",
    params: z.object({ id: idSchema, messageId: idSchema, index: z.coerce.number().int().min(0).max(1_000) }),
  },
});
