/** Reads the family of a session (its oldest ancestor and all forks of that one), and finds the branch points. */
import type { SessionId } from "../../core/log/entry.ts";
import type { SessionSummary, TenantStore } from "../../ports/store.ts";
import { returnIfGone } from "../context/errors.ts";
import { describeSession } from "./list-sessions.ts";

const MAX_MEMBERS = 500;

/** Returns an empty list for an unknown session. */
export async function readFamily(store: TenantStore, id: SessionId): Promise<readonly FamilyMember[]> {
  const ancestors = await readAncestors(store, id);
  const found = new Map(ancestors.map((each) => [each.id, each]));
  const open = ancestors.slice(0, 1).map((each) => each.id);
  for (let next = open.shift(); next !== undefined && found.size < MAX_MEMBERS; next = open.shift()) {
    // Ids of forks start with their creation time.
    for (const forkId of (await store.listForks(next)).toSorted()) {
      open.push(forkId);
      const fork = found.get(forkId) ?? (await describeSession(store, forkId));
      if (fork !== undefined && found.size < MAX_MEMBERS) found.set(forkId, fork);
    }
  }
  const family: FamilyMember[] = [];
  for (const member of found.values()) family.push(await findShared(store, member));
  return family;
}

async function readAncestors(store: TenantStore, id: SessionId): Promise<readonly SessionSummary[]> {
  const line: SessionSummary[] = [];
  for (let next: SessionId | undefined = id; next !== undefined && line.length < MAX_MEMBERS; ) {
    const member: SessionSummary | undefined = await describeSession(store, next);
    if (member === undefined) break;
    line.unshift(member);
    next = member.fork?.parentId;
  }
  return line;
}

/** Finds the last shared message. Requests and notes are between messages, and a fork may start at any of them. */
async function findShared(store: TenantStore, { id, createdAt, fork }: SessionSummary): Promise<FamilyMember> {
  if (fork === undefined) return { id, createdAt };
  const range = { throughSeq: fork.atSeq, types: ["message"], newestFirst: true, limit: 1 } as const;
  const [last] = fork.atSeq === 0 ? [] : await store.readEntries(fork.parentId, range).catch(returnIfGone([]));
  return { id, createdAt, fork, sharedSeq: last?.seq ?? 0 };
}

export interface FamilyMember {
  readonly id: string;
  readonly createdAt: number;
  /** The parent session, and the last seq shared with it. */
  readonly fork?: { readonly parentId: string; readonly atSeq: number } | undefined;
  /** In a fork: seq of the last message at or before `atSeq`; 0 if there is none. */
  readonly sharedSeq?: number | undefined;
}

export interface BranchPoint {
  readonly atSeq: number;
  /** The session that wrote the message, then the forks in the order of their creation. */
  readonly sessionIds: readonly string[];
  /** Index of the branch that the given session is on. */
  readonly current: number;
}

/** Finds where a conversation branches, in log order. Sessions with a common branch point get the same branches. */
export function findBranchPoints(id: string, family: readonly FamilyMember[]): readonly BranchPoint[] {
  const byId = new Map(family.map((member) => [member.id, member]));
  const leavers = groupForks(family, byId);
  const points: BranchPoint[] = [];
  let line: { readonly id: string; readonly throughSeq: number } | undefined = { id, throughSeq: Infinity };
  while (line !== undefined) {
    const { id: ownerId, throughSeq } = line;
    for (const [atSeq, left] of leavers.get(ownerId) ?? []) {
      if (atSeq <= throughSeq)
        points.push({ atSeq, sessionIds: [ownerId, ...left.map((each) => each.id)], current: 0 });
    }
    line = findOrigin(ownerId, byId);
  }
  return markCurrent(id, points, byId).toSorted((one, other) => one.atSeq - other.atSeq);
}

type ById = ReadonlyMap<string, FamilyMember>;

function groupForks(family: readonly FamilyMember[], byId: ById): Map<string, Map<number, FamilyMember[]>> {
  const leavers = new Map<string, Map<number, FamilyMember[]>>();
  for (const member of family.toSorted(compareAge)) {
    const origin = findOrigin(member.id, byId);
    if (origin === undefined) continue;
    const places = leavers.get(origin.id) ?? new Map<number, FamilyMember[]>();
    places.set(origin.throughSeq, [...(places.get(origin.throughSeq) ?? []), member]);
    leavers.set(origin.id, places);
  }
  return leavers;
}

function compareAge(one: FamilyMember, other: FamilyMember): number {
  return one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1);
}

/** Finds the session that wrote the last inherited message; undefined for a root. */
function findOrigin(id: string, byId: ById): { readonly id: string; readonly throughSeq: number } | undefined {
  const member = byId.get(id);
  if (member?.fork === undefined) return undefined;
  const throughSeq = member.sharedSeq ?? member.fork.atSeq;
  let ownerId = member.fork.parentId;
  for (let owner = byId.get(ownerId); owner?.fork !== undefined && throughSeq <= owner.fork.atSeq; ) {
    ownerId = owner.fork.parentId;
    owner = byId.get(ownerId);
  }
  return { id: ownerId, throughSeq };
}

/** Marks, at each branch point, the branch that leads to the session: its own, or that of an ancestor. */
function markCurrent(id: string, points: readonly BranchPoint[], byId: ById): readonly BranchPoint[] {
  const branchAt = new Map<string, string>();
  for (let at = id, origin = findOrigin(id, byId); origin !== undefined; origin = findOrigin(at, byId)) {
    branchAt.set(`${origin.id} ${origin.throughSeq}`, at);
    at = origin.id;
  }
  return points.map((each) => {
    const taken = branchAt.get(`${each.sessionIds[0]} ${each.atSeq}`);
    return taken === undefined ? each : { ...each, current: each.sessionIds.indexOf(taken) };
  });
}
