#!/usr/bin/env node
/** `palimpsest` in the terminal. What a command needs is loaded when it is run, so that help is there at once. */
import { runCli } from "./run-cli.ts";
import { createTerminal } from "./terminal.ts";

process.exitCode = await runCli(process.argv.slice(2), createTerminal());
