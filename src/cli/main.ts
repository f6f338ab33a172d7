#!/usr/bin/env node
/** The command `palimpsest`. Modules load when their command runs; Node keeps compiled code for the next run. */
// As a namespace: an old Node, which is refused below, cannot import a name that it does not have.
import * as nodeModule from "node:module";
import { exitSoon, refuseOldNode } from "./terminal/node-process.ts";

const refusal = refuseOldNode();
if (refusal === undefined) {
  nodeModule.enableCompileCache();
  const [{ runCli }, { createTerminal }] = await Promise.all([
    import("./run-cli.ts"),
    import("./terminal/terminal.ts"),
  ]);
  process.exitCode = await runCli(process.argv.slice(2), createTerminal());
  exitSoon();
} else {
  process.stderr.write(`${refusal}\n`);
  process.exitCode = 2;
}
