/** All handlers of the protocol but those of chats and extensions. */
import type { RouteName } from "../../protocol/routes.ts";
import type { Handlers } from "../app/handler.ts";
import { createEventHandlers } from "./event-handlers.ts";
import { createImageHandlers } from "./image-handlers.ts";
import { createOperationHandlers } from "./operation-handlers.ts";
import { createReviewHandlers } from "./review-handlers.ts";
import { createSampleHandlers } from "./sample-handlers.ts";
import type { ServerParts } from "./server-parts.ts";
import { createSessionHandlers } from "./session-handlers.ts";
import { createSettingsHandlers } from "./settings-handlers.ts";
import { createSummaryHandlers } from "./summary-handlers.ts";
import { createWorkspaceHandlers } from "./workspace-handlers.ts";

type RestName = Exclude<RouteName, "chat" | "resumeChat" | "cancelChat" | "callRpc" | "summarizeContext">;

export function createRestHandlers(parts: ServerParts): Handlers<RestName> {
  return {
    ...createSessionHandlers(parts),
    ...createReviewHandlers(parts),
    ...createSummaryHandlers(parts),
    ...createWorkspaceHandlers(),
    ...createImageHandlers(parts),
    ...createEventHandlers(parts),
    ...createSettingsHandlers(parts),
    ...createSampleHandlers(parts),
    ...createOperationHandlers(parts),
  };
}
