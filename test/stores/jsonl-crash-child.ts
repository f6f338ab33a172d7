/**
 * A process that is killed: it works on one folder without end and tells on standard output what was acknowledged, one
 * JSON line each, written before the next work begins. Its arguments are the folder, the fsync policy and a name that
 * makes its ids its own.
 */
import { writeSync } from "node:fs";
import type { EpochDraft, MessageDraft } from "../../src/core/log/entry.ts";
import { foldEntries, foldEpochEntry } from "../../src/core/log/fold-entry.ts";
import { EMPTY_HEAD, type Head } from "../../src/core/log/head.ts";
import type { TenantStore } from "../../src/ports/store.ts";
import { openJsonlStore } from "../../src/stores/jsonl/jsonl-store.ts";
import { seededRandom } from "../../src/testing/seeded-random.ts";
import { aDraft } from "./jsonl-folder.ts";

export type Acknowledged =
  | { readonly type: "appended"; readonly session: string; readonly ids: readonly string[] }
  | { readonly type: "epoch"; readonly session: string; readonly epoch: number }
  | { readonly type: "erasing" | "erased"; readonly session: string; readonly id: string }
  | { readonly type: "created" | "deleting" | "deleted"; readonly session: string }
  | { readonly type: "leased"; readonly session: string; readonly fence: number };

const SESSION = "main";

interface Work {
  readonly tenant: TenantStore;
  readonly name: string;
  readonly random: () => number;
}

async function run([folder = "", fsync = "never", name = ""]: readonly string[]): Promise<void> {
  const store = openJsonlStore({ folder, fsync: fsync === "always" ? "always" : "never" });
  const tenant = store.tenant("local");
  if ((await tenant.createSession({ id: SESSION, createdAt: 0 }, EMPTY_HEAD)) === "created") {
    tell({ type: "created", session: SESSION });
  }
  const random = seededRandom(Number(name)).next;
  for (let step = 0; ; step += 1) await work({ tenant, name: `${name}-${step}`, random });
}

async function work(options: Work): Promise<void> {
  const chance = options.random();
  if (chance < 0.55) await append(options, SESSION, 1);
  else if (chance < 0.75) await append(options, SESSION, 2 + Math.floor(options.random() * 20));
  else if (chance < 0.85) await changePast(options);
  else if (chance < 0.9) await erase(options);
  else if (chance < 0.94) await forkAndDelete(options);
  else await lease(options);
}

async function append({ tenant, name }: Work, session: string, count: number): Promise<void> {
  const entries = Array.from({ length: count }, (_, index) => aMessage(`${name}-${index}-of-${count}`));
  await tenant.append(session, { entries });
  tell({ type: "appended", session, ids: entries.map(({ id }) => id) });
}

/** Of some, the words do not fit into the row. */
function aMessage(id: string): MessageDraft {
  return aDraft(id, `Words of ${id}. ${"more ".repeat(id.endsWith("9-0-of-1") ? 60_000 : 20)}`);
}

async function changePast({ tenant, name }: Work): Promise<void> {
  const head = await headOf(tenant);
  const pin: EpochDraft = {
    type: "pin",
    id: `pin-${name}`,
    at: 0,
    epoch: head.epoch + 1,
    target: { type: "note", text: "Ana decides." },
  };
  await tenant.append(SESSION, { entries: [pin], expect: { epoch: head.epoch }, head: foldEpochEntry(head, pin) });
  tell({ type: "epoch", session: SESSION, epoch: pin.epoch });
}

async function erase({ tenant, name }: Work): Promise<void> {
  const [newest] = await tenant.readEntries(SESSION, { types: ["message"], limit: 1, newestFirst: true });
  if (newest?.type !== "message" || newest.erased === true) return;
  const head = await headOf(tenant);
  const gone: EpochDraft = {
    type: "delete",
    id: `delete-${name}`,
    at: 0,
    epoch: head.epoch + 1,
    messageIds: [newest.id],
    seqs: [newest.seq],
    dropsSummary: false,
  };
  tell({ type: "erasing", session: SESSION, id: newest.id });
  await tenant.append(SESSION, {
    entries: [gone],
    expect: { epoch: head.epoch },
    head: foldEpochEntry(head, gone),
    erase: [newest.id],
  });
  tell({ type: "erased", session: SESSION, id: newest.id });
}

async function forkAndDelete(options: Work): Promise<void> {
  const { tenant, name } = options;
  const session = `fork-${name}`;
  const head = await headOf(tenant);
  const fork = { parentId: SESSION, atSeq: head.foldedThroughSeq };
  await tenant.createSession({ id: session, createdAt: 0, fork }, { ...head, epoch: 0, undoable: [], redoable: [] });
  tell({ type: "created", session });
  await append({ ...options, name: `in-${session}` }, session, 3);
  if (options.random() < 0.5) return;
  tell({ type: "deleting", session });
  await tenant.deleteSession(session);
  tell({ type: "deleted", session });
}

async function lease({ tenant }: Work): Promise<void> {
  const granted = await tenant.lease(SESSION, 1);
  if (granted === undefined) return;
  tell({ type: "leased", session: SESSION, fence: granted.fence });
  await tenant.release(SESSION, granted);
}

async function headOf(tenant: TenantStore): Promise<Head> {
  const session = await tenant.findSession(SESSION);
  const head = session?.head ?? EMPTY_HEAD;
  return foldEntries(await tenant.readEntries(SESSION, { afterSeq: head.foldedThroughSeq }), head);
}

function tell(acknowledged: Acknowledged): void {
  writeSync(1, `${JSON.stringify(acknowledged)}\n`);
}

if (import.meta.main) await run(process.argv.slice(2));
