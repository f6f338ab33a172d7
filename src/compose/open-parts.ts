/** Opens what an engine runs on: store, jobs, notifications and workspace. */
import { invalidOption } from "../core/check-options.ts";
import type { EngineParts } from "../engine/background/background.ts";
import { createWarningEmitter, type Emitter } from "../engine/context/events.ts";
import { createInProcessJobs } from "../jobs/in-process-jobs.ts";
import type { Jobs } from "../ports/jobs.ts";
import type { Relay } from "../ports/relay.ts";
import type { Store } from "../ports/store.ts";
import type { Workspace } from "../ports/workspace.ts";
import {
  describeStoreAddress,
  openNotifications,
  openRelay,
  openStoreAt,
  STORE_ADDRESSES,
} from "../stores/open-store.ts";
import type { WorkspaceInput } from "../workspace/open-workspace.ts";
import type { OpenOptions } from "./options.ts";

/** The parts that engines of several tenants share. Closing an engine leaves them open. */
export interface SharedParts {
  readonly parts: Pick<OpenOptions, "store" | "jobs" | "notifications">;
  /** Reaches other processes on the same store. */
  readonly relay: Relay;
  close(): Promise<void>;
}

interface SharedOptions {
  /** Whether the database separates tenants by row-level security, in addition to every query. */
  readonly rowSecurity?: boolean | undefined;
  /** Receives problems that the store has worked around. */
  readonly onWarning?: ((text: string) => void) | undefined;
}

/** Opens the parts once. In-process jobs stay separate for each engine; a queue in the database is shared. */
export async function openSharedParts(options: OpenOptions & SharedOptions): Promise<SharedParts> {
  const { emitter, onWarning } = createWarningEmitter();
  const { rowSecurity, onWarning: warn = onWarning } = options;
  const store = await openStore(options.store ?? "memory:", warn, { rowSecurity });
  try {
    const { jobs, notifications, runsJobs } = await openParts(options, emitter);
    const relay = await openRelay(findSharedAddress(options.store), { onWarning: warn });
    const closeNothing = async () => undefined;
    return {
      parts: {
        store: { name: store.name, tenant: (id) => store.tenant(id), close: closeNothing },
        jobs: runsJobs ? "in-process" : lendJobs(jobs, closeNothing),
        notifications: notifications && {
          notify: (notification) => notifications.notify(notification),
          listen: (listener) => notifications.listen(listener),
          close: closeNothing,
        },
      },
      relay,
      async close() {
        await jobs.close();
        await relay.close();
        await notifications?.close();
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

function lendJobs(jobs: Jobs, closeNothing: () => Promise<undefined>): Jobs {
  return {
    submit: (job) => jobs.submit(job),
    work: (run) => jobs.work(run),
    settle: (session) => jobs.settle(session),
    readDeadLetters: () => jobs.readDeadLetters(),
    drain: closeNothing,
    close: closeNothing,
  };
}

export async function openRepository(workspace: WorkspaceInput | undefined): Promise<Workspace | undefined> {
  if (workspace === undefined) return undefined;
  const { openWorkspace } = await import("../workspace/open-workspace.ts");
  return openWorkspace(workspace);
}

/** Jobs mostly wait for models, so many may run at once. */
const JOBS_AT_ONCE = 16;

export async function openParts(
  { store, jobs = "in-process", notifications }: OpenOptions,
  emitter: Emitter,
): Promise<Pick<EngineParts, "jobs" | "runsJobs" | "notifications">> {
  let lastText: string | undefined;
  const onError = (error: unknown) => {
    const text = `Background work failed: ${error instanceof Error ? error.message : String(error)}`;
    // A database that is down is reported once, not with every retry.
    if (text !== lastText) emitter.emit("warning", { sessionId: undefined, text });
    lastText = text;
  };
  const address = findSharedAddress(store);
  const runner = await openJobs(jobs, { address, onError });
  return { ...runner, notifications: notifications ?? (await openNotifications(address, { onError })) };
}

function findSharedAddress(store: OpenOptions["store"]): string | undefined {
  return typeof store === "string" ? describeStoreAddress(store).channelAddress : undefined;
}

async function openJobs(
  jobs: NonNullable<OpenOptions["jobs"]>,
  { address, onError }: { readonly address: string | undefined; readonly onError: (error: unknown) => void },
): Promise<Pick<EngineParts, "jobs" | "runsJobs">> {
  if (jobs === "in-process") return { jobs: createInProcessJobs({ concurrency: JOBS_AT_ONCE }), runsJobs: true };
  if (typeof jobs === "object" && typeof jobs?.submit === "function") return { jobs, runsJobs: false };
  if (jobs !== "pg-boss" || address === undefined) {
    throw invalidOption("jobs", jobs, '"in-process", Jobs, or "pg-boss" with a store "postgres://…"');
  }
  const { openPgBossJobs } = await import("../jobs/pg-boss-jobs.ts");
  return { jobs: await openPgBossJobs(address, { onError }), runsJobs: false };
}

export async function openStore(
  store: string | Store,
  onWarning: (text: string) => void,
  { rowSecurity }: Pick<SharedOptions, "rowSecurity"> = {},
): Promise<Store> {
  if (typeof store === "object" && typeof store?.tenant === "function") return store;
  if (typeof store !== "string") throw invalidOption("store", store, `${STORE_ADDRESSES}, or a Store`);
  const opened = await openStoreAt(store, { onWarning, rowSecurity });
  if (opened === undefined) throw invalidOption("store", store, STORE_ADDRESSES);
  return opened;
}
