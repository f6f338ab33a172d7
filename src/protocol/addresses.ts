/**
 * The address of each route as plain data. A client in a browser loads this file and none of the schemas; the compiler
 * checks that it agrees with `routes.ts`.
 */
import type { BodyKind, Method, Route } from "./route.ts";
import type { ROUTES, RouteName } from "./routes.ts";

type KindOf<Row extends Route> = Row extends { readonly gives: infer Kind extends BodyKind } ? Kind : "json";
type TakesOf<Row extends Route> = Row extends { readonly takes: infer Kind extends BodyKind } ? Kind : "json";

export type Address<Row extends Route = Route> = readonly [
  method: Row["method"],
  path: Row["path"],
  gives: KindOf<Row>,
  takes: TakesOf<Row>,
];

export type AnyAddress = readonly [method: Method, path: string, gives: BodyKind, takes: BodyKind];

export const ADDRESSES: { readonly [Name in RouteName]: Address<(typeof ROUTES)[Name]> } = {
  listSessions: ["GET", "/api/sessions", "json", "json"],
  createSession: ["POST", "/api/sessions", "json", "json"],
  readSession: ["GET", "/api/sessions/:id", "json", "json"],
  renameSession: ["PATCH", "/api/sessions/:id", "json", "json"],
  deleteSession: ["DELETE", "/api/sessions/:id", "json", "json"],
  forkSession: ["POST", "/api/sessions/:id/forks", "json", "json"],
  exportSession: ["GET", "/api/sessions/:id/export", "lines", "json"],
  importSession: ["POST", "/api/sessions/import", "json", "lines"],
  importMessages: ["POST", "/api/sessions/import-messages", "json", "lines"],
  readEntries: ["GET", "/api/sessions/:id/entries", "json", "json"],
  readMessages: ["GET", "/api/sessions/:id/messages", "json", "json"],
  appendMessages: ["POST", "/api/sessions/:id/messages", "json", "json"],
  syncMessages: ["POST", "/api/sessions/:id/sync", "json", "json"],
  readMessage: ["GET", "/api/sessions/:id/messages/:messageId", "json", "json"],
  deleteMessage: ["DELETE", "/api/sessions/:id/messages/:messageId", "json", "json"],
  explainMessage: ["GET", "/api/sessions/:id/messages/:messageId/explanation", "json", "json"],
  readView: ["GET", "/api/sessions/:id/view", "json", "json"],
  makePrompt: ["POST", "/api/sessions/:id/prompts", "json", "json"],
  endPrompt: ["POST", "/api/sessions/:id/prompts/:promptId/end", "json", "json"],
  readPlan: ["GET", "/api/sessions/:id/plan", "json", "json"],
  readStrip: ["GET", "/api/sessions/:id/strip", "json", "json"],
  readBudget: ["GET", "/api/sessions/:id/budget", "json", "json"],
  listForks: ["GET", "/api/sessions/:id/forks", "json", "json"],
  listWays: ["GET", "/api/sessions/:id/ways", "json", "json"],
  readLastPrompt: ["GET", "/api/sessions/:id/prompts/last", "json", "json"],
  readUsage: ["GET", "/api/sessions/:id/usage", "json", "json"],
  pinMessage: ["POST", "/api/sessions/:id/pins", "json", "json"],
  unpinMessage: ["DELETE", "/api/sessions/:id/pins/:pinId", "json", "json"],
  clearHistory: ["POST", "/api/sessions/:id/clear", "json", "json"],
  undo: ["POST", "/api/sessions/:id/undo", "json", "json"],
  compact: ["POST", "/api/sessions/:id/compactions", "json", "json"],
  previewCompaction: ["POST", "/api/sessions/:id/previews", "json", "json"],
  editPreview: ["PATCH", "/api/sessions/:id/previews/:previewId", "json", "json"],
  applyPreview: ["POST", "/api/sessions/:id/previews/:previewId/apply", "json", "json"],
  listSummaries: ["GET", "/api/sessions/:id/summaries", "json", "json"],
  editSummary: ["PUT", "/api/sessions/:id/summary", "json", "json"],
  resummarize: ["POST", "/api/sessions/:id/summary", "json", "json"],
  expandSummary: ["GET", "/api/sessions/:id/summaries/:summaryId/source", "json", "json"],
  verifySummary: ["GET", "/api/sessions/:id/summaries/:summaryId/verification", "json", "json"],
  summarize: ["POST", "/api/summarize", "json", "json"],
  summarizeContext: ["POST", "/api/summarize-context", "json", "json"],
  search: ["GET", "/api/search", "json", "json"],
  searchSession: ["GET", "/api/sessions/:id/search", "json", "json"],
  readWorkspace: ["GET", "/api/sessions/:id/workspace", "json", "json"],
  addFile: ["POST", "/api/sessions/:id/workspace/files", "json", "json"],
  removeFile: ["DELETE", "/api/sessions/:id/workspace/files", "json", "json"],
  addLink: ["POST", "/api/sessions/:id/workspace/links", "json", "json"],
  removeLink: ["DELETE", "/api/sessions/:id/workspace/links", "json", "json"],
  putImage: ["PUT", "/api/sessions/:id/images", "json", "bytes"],
  readImage: ["GET", "/api/sessions/:id/messages/:messageId/images/:index", "bytes", "json"],
  chat: ["POST", "/api/chat", "stream", "json"],
  resumeChat: ["GET", "/api/chat/:id/stream", "stream", "json"],
  cancelChat: ["DELETE", "/api/chat/:id/stream", "json", "json"],
  events: ["GET", "/api/events", "events", "json"],
  readSettings: ["GET", "/api/settings", "json", "json"],
  writeSettings: ["PUT", "/api/settings", "json", "json"],
  checkSettings: ["POST", "/api/settings/checks", "json", "json"],
  listPresets: ["GET", "/api/settings/presets", "json", "json"],
  openSample: ["POST", "/api/sample", "json", "json"],
  readSample: ["GET", "/api/sessions/:id/sample", "json", "json"],
  playSample: ["POST", "/api/sessions/:id/sample/next", "json", "json"],
  health: ["GET", "/health", "json", "json"],
  ready: ["GET", "/ready", "json", "json"],
  metrics: ["GET", "/metrics", "text", "json"],
  openApi: ["GET", "/openapi.json", "json", "json"],
  apiPage: ["GET", "/api", "html", "json"],
  apiStyle: ["GET", "/api/page.css", "css", "json"],
  callRpc: ["POST", "/rpc", "json", "json"],
};
