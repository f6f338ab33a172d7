/** Everything of the protocol but chats and JSON-RPC, put together. */
import type { RouteName } from "../../protocol/routes.ts";
import type { Handlers } from "../app/handler.ts";
import { createEventHandlers } from "./event-handlers.ts";
import { createImageHandlers } from "./image-handlers.ts";
import { createOperationHandlers } from "./operation-handlers.ts";
import { createReviewHandlers } from "./review-handlers.ts";
import { createSampleHandlers } from "./sample-handlers.ts";
import { SEARCH_HANDLERS } from "./search-handlers.ts";
import type { ServerParts } from "./server-parts.ts";
import { createSessionHandlers } from "./session-handlers.ts";
import { createSettingsHandlers } from "./settings-handlers.ts";
import { createSummaryHandlers } from "./summary-handlers.ts";
import { createWorkspaceHandlers } from "./workspace-handlers.ts";

type RestName = Exclude<RouteName, "chat" | "resumeChat" | "cancelChat" | "callRpc">;

export function createRestHandlers(parts: ServerParts): Handlers<RestName> {
  return {
    ...createSessionHandlers(parts),
    ...createReviewHandlers(parts),
    ...createSummaryHandlers(parts),
    ...SEARCH_HANDLERS,
    ...createWorkspaceHandlers(),
    ...createImageHandlers(parts),
    ...createEventHandlers(parts),
    ...createSettingsHandlers(parts),
    ...createSampleHandlers(parts),
    ...createOperationHandlers(parts),
  };
}
