#!/usr/bin/env node
/**
 * `palimpsest` in the terminal. What a command needs is loaded when it is run, so that help is there at once, and what
 * was compiled once is kept for the next time where Node keeps such things.
 */
// As a whole: an old Node, which has to be told that it is one, cannot import a name that it does not have.
import * as nodeModule from "node:module";
import { refuseOldNode } from "./refuse-old-node.ts";

const refusal = refuseOldNode();
if (refusal === undefined) {
  nodeModule.enableCompileCache();
  const [{ runCli }, { createTerminal }] = await Promise.all([import("./run-cli.ts"), import("./terminal.ts")]);
  process.exitCode = await runCli(process.argv.slice(2), createTerminal());
} else {
  process.stderr.write(`${refusal}\n`);
  process.exitCode = 2;
}
