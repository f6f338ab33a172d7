/** All routes of the protocol, by name. */
import type { RouteName } from "./addresses.ts";
import { CHAT_ROUTES } from "./chat-routes.ts";
import { OPERATION_ROUTES } from "./operation-routes.ts";
import { REVIEW_ROUTES, SEARCH_ROUTES } from "./review-routes.ts";
import type { Route } from "./route.ts";
import { RPC_ROUTES } from "./rpc-methods.ts";
import { SESSION_ROUTES } from "./session-routes.ts";
import { SUMMARY_ROUTES } from "./summary-routes.ts";
import { WORKSPACE_ROUTES } from "./workspace-routes.ts";

export const ROUTES = {
  ...SESSION_ROUTES,
  ...REVIEW_ROUTES,
  ...SUMMARY_ROUTES,
  ...SEARCH_ROUTES,
  ...WORKSPACE_ROUTES,
  ...CHAT_ROUTES,
  ...OPERATION_ROUTES,
  ...RPC_ROUTES,
} as const satisfies Readonly<Record<RouteName, Route>>;

export type { RouteName } from "./addresses.ts";
