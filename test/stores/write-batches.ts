/**
 * A process that writes batches to one folder until killed, so that others can read in the meantime. Every id contains
 * its index and batch size; after the first batch it prints one line.
 */
import { EMPTY_HEAD } from "../../src/core/log/head.ts";
import { openJsonlStore } from "../../src/stores/jsonl/jsonl-store.ts";
import { aDraft } from "./jsonl-folder.ts";

const tenant = openJsonlStore({ folder: process.argv[2] ?? "", fsync: "never" }).tenant("local");
await tenant.createSession({ id: "main", createdAt: 0 }, EMPTY_HEAD);
for (let batch = 0; ; batch += 1) {
  const count = 1 + (batch % 20);
  const entries = Array.from({ length: count }, (_, index) => {
    const id = `${batch}-${index}-of-${count}`;
    // Some texts do not fit into the row.
    return aDraft(id, `Words of ${id}. ${"more ".repeat(id.endsWith("9-0-of-10") ? 60_000 : 20)}`);
  });
  await tenant.append("main", { entries });
  if (batch === 0) process.stdout.write("begun\n");
}
