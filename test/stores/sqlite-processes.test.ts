/** Several processes on one file: nothing lost, nothing duplicated, one holder of a lease. */
import { afterAll, describe } from "vitest";
import { testProcesses } from "./describe-processes.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

describe("processes on one file", () => {
  testProcesses(async () => ({ kind: "sqlite", path: folder.newPath() }));
});
