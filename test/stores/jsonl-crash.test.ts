/** Processes that are killed at any moment: acknowledged writes are stored, and no batch is stored in part. */
import { afterAll, test } from "vitest";
import { crashProcesses } from "../faults/crash.ts";
import { jsonlSite } from "../faults/crash-sites.ts";
import { expectNoViolations, smallSize } from "../faults/small-size.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

/** Enough rounds to kill each kind of process once: writers, a migration and an opening. */
const ONE_OF_EACH = smallSize({ rounds: 4, longestMs: 120_000 });

test("killed processes lose no acknowledged write in a JSONL folder", async () => {
  // Two folders at the same time, because most of a round is the start of a process.
  const sites = [jsonlSite(folder, "full"), jsonlSite(folder, "normal")];
  const tallies = await Promise.all(
    sites.map((site, index) => crashProcesses(site, { ...ONE_OF_EACH, seed: ONE_OF_EACH.seed + index })),
  );
  for (const tally of tallies) expectNoViolations(tally);
});
