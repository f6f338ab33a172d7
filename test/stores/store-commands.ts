/**
 * All operations of a store as commands of a model-based test. Every store gets the same commands and must return the
 * same results; the memory store is the model.
 */
import fc from "fast-check";
import type { MessageDraft } from "../../src/core/log/entry.ts";
import { EMPTY_HEAD } from "../../src/core/log/head.ts";
import type { Role } from "../../src/core/message/message.ts";
import type { Lease, TenantStore } from "../../src/ports/store.ts";
import type { ScriptedClock } from "../../src/testing/scripted-clock.ts";
import {
  aUserMessage,
  batchOf,
  clear,
  draftOf,
  fork,
  headOf,
  note,
  pin,
  pinNote,
  truncate,
  type UnstampedEntry,
} from "../../src/testing/store-contract/contract-log.ts";
import { describeTenant } from "../../src/testing/store-contract/play-steps.ts";
import { expectSame } from "../../src/testing/store-contract/store-under-test.ts";

/** The state that the commands have produced so far. */
export interface CommandRecord {
  turn: number;
  readonly sessions: string[];
  readonly messages: MessageDraft[];
}

export interface Stores {
  readonly tenants: readonly TenantStore[];
  /** The clock of leases, shared by all stores. */
  readonly clock: ScriptedClock;
  /** All leases ever granted, by store and in order. */
  readonly leases: readonly Lease[][];
}

type StoreOperation = (tenant: TenantStore, index: number) => Promise<unknown>;

/** Runs one operation on all stores and compares results and errors. */
async function askAll({ tenants }: Stores, ask: StoreOperation): Promise<void> {
  const answers: unknown[] = [];
  for (const [index, tenant] of tenants.entries()) {
    answers.push(await ask(tenant, index).catch(({ code, name }) => ({ failed: code ?? name })));
  }
  for (const answer of answers) expectSame(answer, answers[0]);
}

/** Random numbers that select an operation's session, message and other arguments. */
interface Choice {
  readonly at: number;
  readonly other: number;
  readonly words: string;
  readonly role: Role;
}

type Run = (record: CommandRecord, stores: Stores, choice: Choice) => Promise<void>;

const pick = <Value>(values: readonly Value[], at: number): Value | undefined => values[Math.floor(at * values.length)];

/** Returns the id of a session, which usually exists. */
const sessionOf = ({ sessions }: CommandRecord, at: number): string =>
  pick([...sessions, ...sessions, "nowhere"], at) ?? "nowhere";

function newMessage(record: CommandRecord, { words, role, at }: Choice): MessageDraft {
  const message = { ...aUserMessage(words, { id: `m${record.turn}` }), role };
  const draft = draftOf(message, { at: Math.floor(at * 5) });
  record.messages.push(draft);
  return draft;
}

const PASTS: readonly ((seq: number) => UnstampedEntry)[] = [
  () => pinNote,
  (seq) => pin(seq),
  (seq) => truncate(seq),
  (seq) => clear(seq, "for-good"),
];

const COMMANDS: Readonly<Record<string, Run>> = {
  create: async (record, stores, { at }) => {
    const id = `s${Math.floor(at * 2)}`;
    if (!record.sessions.includes(id)) record.sessions.push(id);
    await askAll(stores, (tenant) => tenant.createSession({ id, createdAt: record.turn, title: id }, EMPTY_HEAD));
  },

  fork: async (record, stores, { at, other }) => {
    const parentId = sessionOf(record, at);
    const lastSeq = (await stores.tenants[0]?.findSession(parentId))?.lastSeq ?? 0;
    const id = `f${record.turn}`;
    await askAll(stores, (tenant) => fork(tenant, { id, parentId, atSeq: Math.floor(other * (lastSeq + 1)) }));
    if ((await stores.tenants[0]?.findSession(id)) !== undefined) record.sessions.push(id);
  },

  say: async (record, stores, choice) => {
    const entries = [newMessage(record, choice), note(`n${record.turn}`)];
    await askAll(stores, (tenant) => tenant.append(sessionOf(record, choice.other), { entries }));
  },

  sayAgain: async (record, stores, choice) => {
    const known = pick(record.messages, choice.at);
    const id = sessionOf(record, choice.other);
    const entries = [...(known === undefined ? [] : [known]), newMessage(record, choice)];
    await askAll(stores, (tenant) => tenant.append(id, { entries }));
  },

  sayOtherwise: async (record, stores, choice) => {
    const known = pick(record.messages, choice.at);
    const entries = [newMessage(record, choice), draftOf(aUserMessage("Otherwise.", { id: known?.message.id ?? "m" }))];
    await askAll(stores, (tenant) => tenant.append(sessionOf(record, choice.other), { entries }));
  },

  change: async (record, stores, { at, other }) => {
    const id = sessionOf(record, other);
    const head = await headOf(stores.tenants[0] as TenantStore, id);
    const seq = Math.floor(at * (head.foldedThroughSeq + 1));
    const past = (pick(PASTS, at) ?? (() => pinNote))(seq);
    const batch = batchOf(head, past, `e${record.turn}`);
    // One in four expects an older epoch, and every second one carries the fence of some lease.
    const epoch = head.epoch - (other % 0.1 < 0.025 ? 1 : 0);
    await askAll(stores, (tenant, index) => {
      const fence = at % 0.1 < 0.05 ? pick(stores.leases[index] ?? [], other)?.fence : undefined;
      return tenant.append(id, { ...batch, expect: { epoch, fence } });
    });
  },

  erase: async (record, stores, { at, other }) => {
    const id = sessionOf(record, other);
    const model = stores.tenants[0] as TenantStore;
    const key = pick(await model.readMessageKeys(id), at);
    if (key === undefined) return;
    const gone: UnstampedEntry = { type: "delete", messageIds: [key.id], seqs: [key.seq], dropsSummary: false };
    const batch = { ...batchOf(await headOf(model, id), gone, `e${record.turn}`), erase: [key.id] };
    await askAll(stores, (tenant) => tenant.append(id, batch));
  },

  count: async (record, stores, { at, other }) => {
    const counts = new Map([1, 2, 3].map((seq) => [seq, Math.floor(at * 100) + seq]));
    await askAll(stores, (tenant) => tenant.addCounts(sessionOf(record, other), `c${Math.floor(at * 2)}`, counts));
  },

  lease: async (record, stores, { at, other }) => {
    await askAll(stores, async (tenant, index) => {
      const lease = await tenant.lease(sessionOf(record, other), 1_000 * at);
      if (lease !== undefined) stores.leases[index]?.push(lease);
      return lease?.fence;
    });
  },

  keepLease: async (record, stores, { at, other }) => {
    await askAll(stores, async (tenant, index) => {
      const lease = pick(stores.leases[index] ?? [], at);
      const id = sessionOf(record, other);
      if (lease === undefined) return undefined;
      return at % 0.1 < 0.05 ? tenant.renew(id, lease, 1_000 * other) : tenant.release(id, lease);
    });
  },

  passTime: async (_, { clock }, { at }) => clock.advance(Math.floor(at * 900)),

  rename: async (record, stores, { words, other }) =>
    askAll(stores, (tenant) => tenant.renameSession(sessionOf(record, other), words)),

  deleteSession: async (record, stores, { other }) =>
    askAll(stores, (tenant) => tenant.deleteSession(sessionOf(record, other))),

  find: async (record, stores, { at, other }) => {
    const id = sessionOf(record, other);
    const entryId = pick(record.messages, at)?.message.id ?? "nothing";
    await askAll(stores, async (tenant) => [
      await tenant.findEntry(id, entryId),
      await tenant.findMessage(id, entryId),
    ]);
  },

  search: async (record, stores, { words, role, at, other }) => {
    const text = words.slice(Math.floor(at * 4), Math.floor(at * 4) + 1 + Math.floor(other * 5));
    const sessionId = at < 0.5 ? undefined : sessionOf(record, other);
    await askAll(stores, (tenant) =>
      tenant.search({ text, limit: Math.floor(other * 9), sessionId, role: other < 0.7 ? undefined : role }),
    );
  },

  page: async (_, stores, { at }) => {
    await askAll(stores, async (tenant) => {
      const first = await tenant.listSessions({ limit: 1 + Math.floor(at * 3) });
      return [first, await tenant.listSessions({ limit: 2, after: first.at(-1) })];
    });
  },
};

const WORDS = [
  "Launch the rocket.",
  "launch THE pad",
  "ΟΔΟΣ und Größe",
  "100% of 文件_",
  "a\u0000b \ud83d c",
  "'; --\\",
];

class StoreCommand implements fc.AsyncCommand<CommandRecord, Stores> {
  readonly #name: string;
  readonly #choice: Choice;

  constructor(name: string, choice: Choice) {
    this.#name = name;
    this.#choice = choice;
  }

  check(): boolean {
    return true;
  }

  async run(record: CommandRecord, stores: Stores): Promise<void> {
    record.turn += 1;
    await COMMANDS[this.#name]?.(record, stores, this.#choice);
  }

  toString(): string {
    return `${this.#name}(${JSON.stringify(this.#choice)})`;
  }
}

/** Sequences of commands, weighted like real use. */
export function storeCommands(): fc.Arbitrary<Iterable<fc.AsyncCommand<CommandRecord, Stores>>> {
  const often: Readonly<Record<string, number>> = {
    ...{ create: 2, fork: 2, say: 8, sayAgain: 3, change: 5, erase: 3 },
    ...{ lease: 5, keepLease: 2, passTime: 2, search: 3 },
  };
  const at = fc.integer({ min: 0, max: 9_999 }).map((place) => place / 10_000);
  const choice = fc.record({
    at,
    other: at,
    words: fc.constantFrom(...WORDS),
    role: fc.constantFrom<Role>("user", "assistant", "system", "tool"),
  });
  const commands = Object.keys(COMMANDS).flatMap((name) =>
    Array.from({ length: often[name] ?? 1 }, () => choice.map((chosen) => new StoreCommand(name, chosen))),
  );
  return fc.commands(commands, { maxCommands: 40, size: "max" });
}

/** Creates the first session. */
export async function createFirstSession(stores: Stores): Promise<CommandRecord> {
  await askAll(stores, (tenant) => tenant.createSession({ id: "s0", createdAt: 0 }, EMPTY_HEAD));
  return { turn: 0, sessions: ["s0"], messages: [] };
}

/** Compares everything that can be read at the end. */
export async function checkEqual({ tenants }: Stores): Promise<void> {
  const described = await Promise.all(tenants.map(describeTenant));
  for (const each of described) expectSame(each, described[0]);
}
