/**
 * Everybody who has a message in common with a session: those it comes from, and all that left any of them, however many
 * forks lie between. Of very many those that were found first, so that no answer grows without end. No log is read.
 */
import type { SessionId } from "../../core/log/entry.ts";
import type { SessionSummary, TenantStore } from "../../ports/store.ts";
import { unlessGone } from "./hidden-session.ts";
import { describeSession } from "./list-sessions.ts";

const MOST_MEMBERS = 500;

/** Nobody where there is no such session. */
export async function readFamily(store: TenantStore, id: SessionId): Promise<readonly FamilyMember[]> {
  const ancestors = await readAncestors(store, id);
  const found = new Map(ancestors.map((each) => [each.id, each]));
  const open = ancestors.slice(0, 1).map((each) => each.id);
  for (let next = open.shift(); next !== undefined && found.size < MOST_MEMBERS; next = open.shift()) {
    // Ids of forks begin with the time that they were made at.
    for (const forkId of (await store.listForks(next)).toSorted()) {
      open.push(forkId);
      const fork = found.get(forkId) ?? (await describeSession(store, forkId));
      if (fork !== undefined && found.size < MOST_MEMBERS) found.set(forkId, fork);
    }
  }
  const family: FamilyMember[] = [];
  for (const member of found.values()) family.push(await findShared(store, member));
  return family;
}

/** The one that began by itself first, the session itself last. */
async function readAncestors(store: TenantStore, id: SessionId): Promise<readonly SessionSummary[]> {
  const line: SessionSummary[] = [];
  for (let next: SessionId | undefined = id; next !== undefined && line.length < MOST_MEMBERS; ) {
    const member: SessionSummary | undefined = await describeSession(store, next);
    if (member === undefined) break;
    line.unshift(member);
    next = member.fork?.parentId;
  }
  return line;
}

/** Between two messages lie notes of requests and of folds: who leaves at any of them leaves the same message. */
async function findShared(store: TenantStore, { id, createdAt, fork }: SessionSummary): Promise<FamilyMember> {
  if (fork === undefined) return { id, createdAt };
  const range = { throughSeq: fork.atSeq, types: ["message"], newestFirst: true, limit: 1 } as const;
  const [last] = fork.atSeq === 0 ? [] : await store.readEntries(fork.parentId, range).catch(unlessGone([]));
  return { id, createdAt, fork, sharedSeq: last?.seq ?? 0 };
}

/**
 * Where a conversation goes several ways. Forks of forks may leave a message that none of those they were made from has
 * said itself, so each is told by who said the last message that it shares: whoever looks from any of them finds the same
 * ways at the same place, and every one of them can be reached from every other. Values in, values out.
 */
export interface FamilyMember {
  readonly id: string;
  readonly createdAt: number;
  /** The session that it was forked from, and the last of that one's places that it has. */
  readonly fork?: { readonly parentId: string; readonly atSeq: number } | undefined;
  /** Of a fork: the last message at or before that place; 0 where there is none. */
  readonly sharedSeq?: number | undefined;
}

export interface Ways {
  /** The ways part after this message. */
  readonly atSeq: number;
  /** The session that goes on there by itself, then those that left it, in the order in which they began. */
  readonly sessionIds: readonly string[];
  /** Which of them the session that was asked for went. */
  readonly current: number;
}

/** In the order of their places. The family is everybody who has a message in common with the session. */
export function findWays(id: string, family: readonly FamilyMember[]): readonly Ways[] {
  const byId = new Map(family.map((member) => [member.id, member]));
  const leavers = groupLeavers(family, byId);
  const ways: Ways[] = [];
  let way: { readonly id: string; readonly throughSeq: number } | undefined = { id, throughSeq: Infinity };
  while (way !== undefined) {
    const { id: ownerId, throughSeq } = way;
    for (const [atSeq, left] of leavers.get(ownerId) ?? []) {
      if (atSeq <= throughSeq) ways.push({ atSeq, sessionIds: [ownerId, ...left.map((each) => each.id)], current: 0 });
    }
    way = findOrigin(ownerId, byId);
  }
  return markCurrent(id, ways, byId).toSorted((one, other) => one.atSeq - other.atSeq);
}

type ById = ReadonlyMap<string, FamilyMember>;

/** Who left whom where, by who said the last message that they share. */
function groupLeavers(family: readonly FamilyMember[], byId: ById): Map<string, Map<number, FamilyMember[]>> {
  const leavers = new Map<string, Map<number, FamilyMember[]>>();
  for (const member of family.toSorted(byAge)) {
    const origin = findOrigin(member.id, byId);
    if (origin === undefined) continue;
    const places = leavers.get(origin.id) ?? new Map<number, FamilyMember[]>();
    places.set(origin.throughSeq, [...(places.get(origin.throughSeq) ?? []), member]);
    leavers.set(origin.id, places);
  }
  return leavers;
}

function byAge(one: FamilyMember, other: FamilyMember): number {
  return one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1);
}

/** Who said the last message that a session has from others; undefined for one that began by itself. */
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

/** At each place the way on which the session itself lies: its own, or that of one it comes from. */
function markCurrent(id: string, ways: readonly Ways[], byId: ById): readonly Ways[] {
  const wayAt = new Map<string, string>();
  for (let at = id, origin = findOrigin(id, byId); origin !== undefined; origin = findOrigin(at, byId)) {
    wayAt.set(`${origin.id} ${origin.throughSeq}`, at);
    at = origin.id;
  }
  return ways.map((each) => {
    const taken = wayAt.get(`${each.sessionIds[0]} ${each.atSeq}`);
    return taken === undefined ? each : { ...each, current: each.sessionIds.indexOf(taken) };
  });
}
