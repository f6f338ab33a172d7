import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, test } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { scriptedClock } from "../../testing/scripted-clock.ts";
import { describeStore } from "../../testing/store-contract/describe-store.ts";
import { type JsonlStore, openJsonlStore } from "./jsonl-store.ts";

const folders: string[] = [];
const stores: JsonlStore[] = [];

afterAll(async () => {
  for (const store of stores) await store.close();
  for (const folder of folders) await rm(folder, { recursive: true });
});

describe.each(["own", "workspace"] as const)("the JSONL store in its %s format", (format) => {
  describeStore({
    describe,
    test,
    // Each history creates a folder of files; the tests of the memory store run the same property more often.
    runs: propertyRuns(6),
    make: async () => {
      const folder = await mkdtemp(join(tmpdir(), "palimpsest-jsonl-"));
      folders.push(folder);
      const clock = scriptedClock({ startMs: 5_000 });
      const open = () => {
        const store = openJsonlStore({ folder, format, fsync: "never", monotonicNow: clock.now });
        stores.push(store);
        return store;
      };
      const store = open();
      return {
        store,
        // A session's own file has its images next to it, so that it can be copied and removed by itself.
        keepsBlobsBy: format === "own" ? "session" : "tenant",
        passTime: async (milliseconds) => clock.advance(milliseconds),
        reopen: async () => {
          await store.close();
          return open();
        },
      };
    },
  });
});
