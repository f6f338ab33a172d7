/** Server features that only the presets' documents require: JSON-RPC, rolling summaries, and recorded policies. */
import type { AnyMessage } from "../core/message/formats/read-messages.ts";
import type { Handlers } from "../server/app/handler.ts";
import type { DocumentSurface } from "../server/server-extension.ts";
import { openRpc } from "./rpc/open-rpc.ts";

/** Token limit of the rolling chat's summary. */
const ROLLING_TOKENS = 500;

const ROLLING_HANDLERS: Handlers<"summarizeContext"> = {
  summarizeContext: async ({ engine, body, signal }) => {
    const messages = [body.messages].flat() as readonly AnyMessage[];
    const options = { previous: body.previousSummary, budgetTokens: ROLLING_TOKENS, strategy: "brief" } as const;
    const { record } = await engine.summarize(messages, { ...options, signal });
    return { summary: record.text, ...(record.model === undefined ? {} : { model: record.model }) };
  },
};

export const COMPAT: DocumentSurface = {
  recordedPolicies: new Set(["windowed-sql"]),
  open(parts) {
    const rpc = openRpc(parts);
    return { ...rpc, handlers: { ...rpc.handlers, ...ROLLING_HANDLERS } };
  },
};
