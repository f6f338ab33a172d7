/** A server in its own process that shuts down on a signal; no other code ends the process. */
import { createRequestLog } from "../../src/server/http/request-log.ts";
import { startServer } from "../../src/server/start.ts";

export type ServingLine = { readonly type: "ready"; readonly port: number } | { readonly type: "closed" };

const { store }: { readonly store: string } = JSON.parse(process.argv[2] ?? "{}");
const say = (line: ServingLine) => process.stdout.write(`${JSON.stringify(line)}\n`);
const log = createRequestLog({ level: "error" });
const server = await startServer({ store, models: [], version: "0.0.0", log, engine: { budgetTokens: 2_000 } });
process.once("SIGTERM", () => {
  void server.close().then(() => say({ type: "closed" }));
});
say({ type: "ready", port: server.port });
