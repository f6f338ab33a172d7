/**
 * Everybody who has a message in common with a session: those it comes from, and all that left any of them, however many
 * forks lie between. Of very many those that were found first, so that no answer grows without end. No log is read.
 */
import type { SessionId } from "../../core/log/entry.ts";
import type { SessionSummary, TenantStore } from "../../ports/store.ts";
import { describeSession } from "./describe-session.ts";
import type { FamilyMember } from "./find-ways.ts";
import { unlessGone } from "./hidden-session.ts";

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
