/** One tenant's sessions in the files of its folder. Files of other tenants cannot be reached through it. */
import type { SessionId } from "../../core/log/entry.ts";
import { mapErasures } from "../../core/log/erase-entry.ts";
import { readUnreadableSeq } from "../../core/log/unreadable-entry.ts";
import type { TenantStore } from "../../ports/store.ts";
import { checkBatch } from "../blobs/detach-blobs.ts";
import { Serial } from "../shared/serial.ts";
import { readNumberColumn, sql } from "../sql/driver.ts";
import type { LogSegment } from "../sql/sql-statements.ts";
import type { SessionRow } from "../sql/stored-session.ts";
import { toStoredText } from "../sql/stored-text.ts";
import { appendBatch, requireSession } from "./append-batch.ts";
import { hideFile } from "./catch-up-file.ts";
import type { IndexedFolder } from "./indexed-folder.ts";
import type { Sidecar } from "./sidecar.ts";
import { type CountsLine, LINE_FORMAT, type StoredLine } from "./stored-line.ts";
import { appendLines, createFile, rewriteFile } from "./write-lines.ts";

export class JsonlTenant implements TenantStore {
  readonly #folder: IndexedFolder;
  /** Sessions are created and deleted one at a time, so that no session is deleted while it is forked. */
  readonly #structure = new Serial();

  constructor(folder: IndexedFolder) {
    this.#folder = folder;
  }

  readonly createSession: TenantStore["createSession"] = async (header, head) => {
    const { id, fork } = header;
    if (await this.#exists(id)) return "exists";
    await this.#folder.host.waitForDeletions();
    return this.#structure.run(() =>
      this.#folder.write(id, async (sidecar) => {
        if ((await sidecar.findSession(id)) !== undefined) return "exists";
        if (fork !== undefined) await this.#requireParent(sidecar, fork.parentId, id);
        await createFile(this.#writing(sidecar, id));
        const session = { kind: "session", sessionId: id, format: LINE_FORMAT, header } as const;
        await this.#append(sidecar, id, [
          { ...session, inheritedMessages: head.messageCount },
          { kind: "head", sessionId: id, head },
        ]);
        return "created";
      }),
    );
  };

  readonly findSession: TenantStore["findSession"] = (id) => this.#read(id, ({ tenant }) => tenant.findSession(id));

  readonly listSessions: TenantStore["listSessions"] = (options) =>
    this.#read(undefined, ({ tenant }) => tenant.listSessions(options));

  readonly describeSession: TenantStore["describeSession"] = (id) =>
    this.#read(id, ({ tenant }) => tenant.describeSession(id));

  readonly listForks: TenantStore["listForks"] = (id) => this.#read(undefined, ({ tenant }) => tenant.listForks(id));

  readonly renameSession: TenantStore["renameSession"] = async (id, title) => {
    if (!(await this.#exists(id))) return false;
    return this.#write(id, async (sidecar) => {
      const session = await sidecar.findSession(id);
      if (session === undefined) return false;
      const [row] = await sidecar.read(sql`SELECT inherited_messages FROM sessions WHERE session_key = ${session.key}`);
      const inheritedMessages = row === undefined ? 0 : readNumberColumn(row, "inherited_messages");
      const header = { ...session.header, title };
      const line = { kind: "session", sessionId: id, format: LINE_FORMAT, header, inheritedMessages } as const;
      await this.#append(sidecar, id, [line]);
      return true;
    });
  };

  readonly deleteSession: TenantStore["deleteSession"] = async (id) => {
    // On a full disk, a second try may find the session already removed.
    let isFound = false;
    const hide = async (sidecar: Sidecar) => {
      const session = await sidecar.findSession(id);
      isFound ||= session !== undefined;
      return { sidecar, keys: session === undefined ? [] : await this.#hide(sidecar, session) };
    };
    const hidden = await this.#folder.host.withRoom(async () => {
      if (!isFound && !(await this.#exists(id))) return undefined;
      return this.#structure.run(async () => {
        // Every file is indexed first, so that no fork is missed.
        if ((await this.listForks(id)).length > 0) return undefined;
        return this.#folder.write(id, hide, { isDeletion: true });
      });
    });
    // Other changes of forks and sessions do not wait for this, because the session can no longer be found.
    for (const key of hidden?.keys ?? []) await hidden?.sidecar.removeHidden(key);
    await hidden?.sidecar.purge();
    return hidden !== undefined && isFound;
  };

  readonly append: TenantStore["append"] = async (id, batch) => {
    this.#folder.host.assertOpen();
    checkBatch(batch.entries);
    const write = (sidecar: Sidecar) => appendBatch(batch, { id, sidecar, folder: this.#folder });
    if (mapErasures(batch).size === 0) return this.#write(id, write);
    return this.#folder.host.withRoom(() => this.#folder.write(id, write));
  };

  readonly readEntries: TenantStore["readEntries"] = (id, range) =>
    this.#read(id, ({ tenant }) => tenant.readEntries(id, range));

  readonly readView: TenantStore["readView"] = (id, options) =>
    this.#read(id, ({ tenant }) => tenant.readView(id, options));

  readonly findMessage: TenantStore["findMessage"] = (id, messageId) =>
    this.#read(id, ({ tenant }) => tenant.findMessage(id, messageId));

  readonly findEntry: TenantStore["findEntry"] = (id, entryId) =>
    this.#read(id, ({ tenant }) => tenant.findEntry(id, entryId));

  readonly readMessageKeys: TenantStore["readMessageKeys"] = async (id) => {
    const keys = await this.#read(id, ({ tenant }) => tenant.readMessageKeys(id));
    return keys.filter((key) => key.hash !== "" || readUnreadableSeq(key.id) !== key.seq);
  };

  readonly weighMessages: TenantStore["weighMessages"] = (id, stretches) =>
    this.#read(id, ({ tenant }) => tenant.weighMessages(id, stretches));

  readonly addCounts: TenantStore["addCounts"] = async (id, counterId, counts) => {
    await this.#write(id, async (sidecar) => {
      const { segments } = await requireSession({ id, sidecar, folder: this.#folder });
      for (const segment of segments)
        await this.#addOwnCounts(sidecar, { id, segment, counterId, counts: [...counts] });
    });
  };

  readonly search: TenantStore["search"] = (query) => this.#read(query.sessionId, ({ tenant }) => tenant.search(query));

  readonly findCandidates: TenantStore["findCandidates"] = (id, query) =>
    this.#read(id, ({ tenant }) => tenant.findCandidates(id, query));

  readonly statistics: TenantStore["statistics"] = async () => {
    const statistics = await this.#read(undefined, ({ tenant }) => tenant.statistics());
    return { ...statistics, blobs: await this.#folder.layout.measureBlobs() };
  };

  /** The fence is in the file before the lease is granted, so that a rebuilt index continues above it. */
  readonly lease: TenantStore["lease"] = async (id, ttlMs) => {
    return this.#write(id, async (sidecar) => {
      const lease = await sidecar.tenant.lease(id, ttlMs);
      if (lease === undefined) return undefined;
      try {
        await this.#append(sidecar, id, [{ kind: "lease", sessionId: id, fence: lease.fence }]);
      } catch (error) {
        await sidecar.tenant.release(id, lease).catch(() => undefined);
        throw error;
      }
      return lease;
    });
  };

  readonly renew: TenantStore["renew"] = (id, lease, ttlMs) =>
    this.#write(id, ({ tenant }) => tenant.renew(id, lease, ttlMs));

  readonly release: TenantStore["release"] = (id, lease) => this.#write(id, ({ tenant }) => tenant.release(id, lease));

  /** Removes a session from its file and hides its rows. Returns their keys. */
  async #hide(sidecar: Sidecar, { key, header: { id } }: SessionRow): Promise<readonly number[]> {
    const { layout } = this.#folder;
    const writing = this.#writing(sidecar, id);
    if (layout.hasOneFile) {
      const edit = (line: StoredLine) => (line.sessionId === id ? undefined : line);
      await rewriteFile({ ...writing, edit, erase: [sidecar.hide(id)], more: [] });
      return [key];
    }
    const open = this.#folder.files.open(writing.name);
    await open.file.close();
    open.state = undefined;
    open.isBeingRemoved = true;
    try {
      await layout.remove(writing.name);
      return await hideFile(sidecar, writing.name, { isMissing: true });
    } finally {
      open.isBeingRemoved = false;
    }
  }

  /** Writes the counts that are new into the file of the session that owns the messages. */
  async #addOwnCounts(sidecar: Sidecar, { id, segment, counterId, counts }: OwnCounts): Promise<void> {
    const { tenant, key, throughSeq } = segment;
    const rows = await sidecar.read(sql`
      SELECT e.seq, v.value ->> 1 AS tokens FROM json_each(${JSON.stringify(counts)}) v
      CROSS JOIN entries e ON e.tenant = ${tenant} AND e.session_key = ${key} AND e.seq = v.value ->> 0
      LEFT JOIN token_counts c ON c.tenant = e.tenant AND c.session_key = e.session_key AND c.seq = e.seq
        AND c.counter_id = ${toStoredText(counterId)}
      WHERE e.type = 'message' AND e.content NOT LIKE 'lost %' AND e.seq <= ${throughSeq}
      AND c.tokens IS NOT v.value ->> 1 ORDER BY e.seq`);
    const owner = await sidecar.findSessionId(key);
    if (rows.length === 0 || owner === undefined) return;
    const added = rows.map((row) => [readNumberColumn(row, "seq"), readNumberColumn(row, "tokens")] as const);
    const write = () => this.#append(sidecar, owner, [{ kind: "counts", sessionId: owner, counterId, counts: added }]);
    const { layout } = this.#folder;
    if (layout.nameFor(owner) === layout.nameFor(id)) await write();
    else await this.#folder.writeFile(sidecar, layout.nameFor(owner), write);
  }

  async #requireParent(sidecar: Sidecar, parentId: SessionId, id: SessionId): Promise<void> {
    await this.#folder.parentIndexer(sidecar)({ parentId, child: this.#folder.layout.nameFor(id) });
    await requireSession({ id: parentId, sidecar, folder: this.#folder });
  }

  async #exists(id: SessionId): Promise<boolean> {
    return this.#read(id, async (sidecar) => (await sidecar.findSession(id)) !== undefined);
  }

  async #append(sidecar: Sidecar, id: SessionId, lines: readonly StoredLine[]): Promise<void> {
    await appendLines(lines, this.#writing(sidecar, id));
  }

  #writing(sidecar: Sidecar, id: SessionId) {
    return { folder: this.#folder, sidecar, name: this.#folder.layout.nameFor(id) };
  }

  async #read<Result>(id: SessionId | undefined, work: (sidecar: Sidecar) => Promise<Result>): Promise<Result> {
    this.#folder.host.assertOpen();
    return this.#folder.read(id, work);
  }

  async #write<Result>(id: SessionId, work: (sidecar: Sidecar) => Promise<Result>): Promise<Result> {
    this.#folder.host.assertOpen();
    await this.#folder.host.waitForDeletions();
    return this.#folder.write(id, work);
  }
}

interface OwnCounts extends Pick<CountsLine, "counterId" | "counts"> {
  readonly id: SessionId;
  readonly segment: LogSegment;
}
