/**
 * Cache of compiled modules for the processes that tests start: a command takes a third of the processor time when its
 * modules are already compiled. A process writes it when it ends by itself. `npm ci` removes it.
 */
import { join } from "node:path";
import { repositoryRoot } from "./read-repository.ts";

export const COMPILE_CACHE = join(repositoryRoot, "node_modules/.cache/compiled-modules");
