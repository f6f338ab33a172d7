/** Checks that the store opens and that heads match their logs; a head can be rebuilt. Never creates a store. */
import { statSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { PalimpsestError } from "../../core/errors.ts";
import { foldEntry } from "../../core/log/fold-entry.ts";
import { EMPTY_HEAD, type Head } from "../../core/log/head.ts";
import type { Store, StoredSession, TenantStore } from "../../ports/store.ts";
import { checkStoreAt, findStorePath, openStoreAt } from "../../stores/open-store.ts";
import type { FileCheck } from "../../stores/sqlite/check-file.ts";
import { describeCount, explainError, hideCredentials } from "../terminal/terminal-text.ts";
import { badFinding, type Finding, goodFinding, warningFinding } from "./finding.ts";

export interface StoreOptions extends SessionsOptions {
  readonly tenantId: string;
}

export async function examineStore(address: string, options: StoreOptions): Promise<readonly Finding[]> {
  const path = findStorePath(address);
  const file = path === undefined ? undefined : statSync(path, { throwIfNoEntry: false });
  if (file?.isFile() === true && file.size === 0) {
    return [badFinding("store", `${hideCredentials(address)} is an empty file`, "Restore a backup, or check --store.")];
  }
  if (path !== undefined && file === undefined) {
    return [
      warningFinding(
        "store",
        `${hideCredentials(address)} does not exist yet`,
        "palimpsest serve creates it. If it should exist, check --store.",
      ),
    ];
  }
  const warnings: string[] = [];
  const checked = await checkFile(address);
  const opened = await examineOpened(address, { ...options, ...checked, onWarning: (text) => warnings.push(text) });
  const warned = warnings.map((text) => warningFinding("store", text, "Follow the advice in this warning."));
  return [...opened, ...checked.findings, ...warned];
}

interface CheckedFile {
  readonly findings: readonly Finding[];
  /** Set if the file has problems. */
  readonly readable?: FileCheck["readable"] | undefined;
}

interface OpenedOptions extends StoreOptions, Pick<CheckedFile, "readable"> {
  readonly onWarning: (text: string) => void;
}

/** Opens a file with problems for reading only, so that it is not changed. */
async function examineOpened(
  address: string,
  { tenantId, onWarning, readable, ...options }: OpenedOptions,
): Promise<readonly Finding[]> {
  const name = hideCredentials(address);
  const isDamaged = readable !== undefined;
  const ids = readable?.sessions.flatMap(({ tenant, id }) => (tenant === tenantId ? [id] : []));
  const findings: Finding[] = [];
  let store: Store | undefined;
  try {
    store = await openStoreAt(address, { onWarning, isDamaged });
    if (store === undefined)
      return [badFinding("store", `${name} is not the address of a store`, "See palimpsest --help.")];
    const tenant = store.tenant(tenantId);
    findings.push(await countSessions(tenant, { name, tenantId, isDamaged }).catch(reportStore));
    // If no session can be read, the problems of the file are all there is to report.
    if (ids?.length === 0 || (!isDamaged && findings[0]?.state === "bad")) return findings;
    const settings = isDamaged ? { ...options, repair: false, ids } : options;
    return [...findings, ...(await examineSessions(tenant, settings))];
  } catch (error) {
    return [...findings, reportStore(error)];
  } finally {
    await store?.close().catch(() => undefined);
  }
}

interface CountOptions {
  readonly name: string;
  readonly tenantId: string;
  readonly isDamaged: boolean;
}

async function countSessions(tenant: TenantStore, { name, tenantId, isDamaged }: CountOptions): Promise<Finding> {
  const { sessions, messages } = await tenant.statistics();
  const held = `${describeCount(sessions, "session", "sessions")}, ${describeCount(messages, "message", "messages")}`;
  if (!isDamaged) return goodFinding("store", `${name} has the current schema; ${tenantId} has ${held}`);
  return warningFinding("store", `${name} was opened for reading only; ${tenantId} has ${held}`, DAMAGED_ADVICE);
}

function reportStore(error: unknown): Finding {
  const advice = error instanceof PalimpsestError && error.retryable ? RETRY_ADVICE : ADVICE;
  return badFinding("store", explainError(error), advice);
}

/** Checks all pages of the file; reading sessions reads only the pages that it needs. */
async function checkFile(address: string): Promise<CheckedFile> {
  try {
    const { problems, readable } = (await checkStoreAt(address)) ?? {};
    if (problems === undefined || readable === undefined) return { findings: [] };
    if (problems.length === 0) return { findings: [goodFinding("file", "every table and index is intact")] };
    const shown = problems.slice(0, MAX_PROBLEMS).map((text) => badFinding("file", text, FILE_ADVICE));
    const rest = `${problems.length - shown.length} more problems`;
    const { sessions, entries } = readable;
    const left = `${describeCount(sessions.length, "session", "sessions")} and ${describeCount(entries, "entry", "entries")}`;
    const findings = [
      ...shown,
      ...(problems.length > MAX_PROBLEMS ? [badFinding("file", rest, FILE_ADVICE)] : []),
      warningFinding("file", `${left} can still be read`, entries > 0 ? SAVE_ADVICE : BACKUP_ADVICE),
    ];
    return { findings, readable };
  } catch (error) {
    return { findings: [badFinding("file", explainError(error), ADVICE)] };
  }
}

const MAX_PROBLEMS = 5;
const FILE_ADVICE = "First stop servers that use the file, and copy it and its -wal file.";
const SAVE_ADVICE =
  "Restore a backup. Without one, palimpsest export saves each session that can be read, from a copy of the file.";
const BACKUP_ADVICE = "Restore a backup. Without one, keep the file: a tool that reads damaged SQLite files may help.";
const DAMAGED_ADVICE = "The file has problems, see below. doctor did not change it.";
const ADVICE = "Copy the store before you change anything, then follow the advice in this message.";
const RETRY_ADVICE = "Follow the advice in this message, then try again.";

export interface SessionsOptions {
  /** The only session to check; by default the most recently used ones. */
  readonly sessionId: string | undefined;
  readonly newest: number;
  readonly repair: boolean;
  /** The sessions of a damaged file, oldest first; by default the store lists them. */
  readonly ids?: readonly string[] | undefined;
}

const PAGE = 1_000;
const LEASE_MS = 60_000;

export async function examineSessions(store: TenantStore, options: SessionsOptions): Promise<readonly Finding[]> {
  const { sessionId } = options;
  const ids = sessionId === undefined ? await findNewest(store, options) : [sessionId];
  const found = await Promise.all(ids.map((id) => examineOne(store, id, options)));
  const wrong = found.filter((finding) => finding !== undefined);
  const count = ids.length === 1 ? "1 session" : `${ids.length} sessions`;
  if (wrong.length === 0) return [goodFinding("sessions", `${count} checked, each matches its log`)];
  const whole = ids.filter((_, index) => found[index] === undefined);
  const isPartly = options.ids !== undefined && whole.length > 0;
  const text = `${whole.length} of ${count} can be read whole: ${whole.join(", ")}`;
  return isPartly ? [...wrong, warningFinding("sessions", text, SAVE_ADVICE)] : wrong;
}

/** The index of the list may be damaged although the sessions can be read. */
async function findNewest(store: TenantStore, { newest, ids }: SessionsOptions): Promise<readonly string[]> {
  if (ids !== undefined) return ids.slice(-newest);
  return (await store.listSessions({ limit: newest })).map(({ id }) => id);
}

async function examineOne(store: TenantStore, id: string, { repair }: SessionsOptions): Promise<Finding | undefined> {
  try {
    const stored = await store.findSession(id);
    if (stored === undefined) return badFinding("sessions", `There is no session ${id}`, "Run palimpsest sessions.");
    const { folded, kept, gap } = await foldLog(store, stored);
    if (gap !== undefined) {
      const advice = "Copy the store, then save the readable sessions with palimpsest export.";
      return badFinding("sessions", `${id}: its log has no entry ${gap}`, advice);
    }
    // A fork's head also has its parent's state, which is not in its own entries.
    const isFork = (stored.header.fork ?? stored.head.importedFork) !== undefined;
    if (isFork || isDeepStrictEqual(toPlainJson(kept), toPlainJson(folded))) return undefined;
    if (repair) return await repairHead(store, id, stored);
    const advice = "Stop servers that use the store, then run palimpsest doctor --repair.";
    return badFinding("sessions", `${id}: its head does not match its log`, advice);
  } catch (error) {
    return badFinding(
      "sessions",
      `${id}: ${explainError(error)}`,
      "Copy the store, then follow the advice in this message.",
    );
  }
}

/** Folds the log, and the stored head with the entries after it. Reads page by page: a log may not fit into memory. */
async function foldLog(store: TenantStore, { header, head, lastSeq }: StoredSession) {
  let [folded, kept, afterSeq] = [EMPTY_HEAD, head, 0];
  while (afterSeq < lastSeq) {
    const entries = await store.readEntries(header.id, { afterSeq, limit: PAGE });
    for (const entry of entries) {
      if (entry.seq !== afterSeq + 1) return { folded, kept, gap: afterSeq + 1 };
      afterSeq = entry.seq;
      [folded, kept] = [foldEntry(folded, entry), foldEntry(kept, entry)];
    }
    if (entries.length === 0) return { folded, kept, gap: afterSeq + 1 };
  }
  return { folded, kept, gap: undefined };
}

/** Holds the lease, so that no compaction runs in the meantime. */
async function repairHead(store: TenantStore, id: string, before: StoredSession): Promise<Finding> {
  const lease = await store.lease(id, LEASE_MS);
  if (lease === undefined) {
    return badFinding(
      "sessions",
      `${id}: a compaction is running`,
      "Stop servers that use the store, then repeat this.",
    );
  }
  try {
    const { folded } = await foldLog(store, (await store.findSession(id)) ?? before);
    await store.append(id, { entries: [], head: folded });
    return warningFinding("sessions", `${id}: its head was rebuilt from its log`, "Check it with palimpsest inspect.");
  } finally {
    await store.release(id, lease);
  }
}

/** Converts a head through JSON, so that a field that is undefined counts as absent. */
function toPlainJson(head: Head): unknown {
  return JSON.parse(JSON.stringify(head));
}
