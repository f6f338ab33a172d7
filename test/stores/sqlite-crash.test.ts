/** kill -9 at any instant: acknowledged writes are stored at their seq, once; unfinished ones are whole or absent. */
import { afterAll, test } from "vitest";
import { crashProcesses } from "../faults/crash.ts";
import { sqliteSite } from "../faults/crash-sites.ts";
import { expectNoViolations, smallSize } from "../faults/small-size.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

/** Enough rounds to kill each kind of process once: writers, a migration and an opening. */
const ONE_OF_EACH = smallSize({ rounds: 4, longestMs: 120_000 });

test.each(["full", "normal"] as const)(
  "killed processes lose no acknowledged write with durability %s",
  async (durability) => {
    expectNoViolations(await crashProcesses(sqliteSite(folder, durability), ONE_OF_EACH));
  },
);
