/** Notifications between processes: delivered, combined, and recovered after a lost connection. */
import { randomUUID } from "node:crypto";
import { afterAll, expect, test } from "vitest";
import { EMPTY_HEAD } from "../../src/core/log/head.ts";
import type { Notification, Notifications } from "../../src/ports/notifications.ts";
import type { Store } from "../../src/ports/store.ts";
import { openPostgresStore } from "../../src/stores/postgres/open-postgres-store.ts";
import { openPostgresNotifications } from "../../src/stores/postgres/postgres-notifications.ts";
import { append, SESSION, say } from "../../src/testing/store-contract/contract-log.ts";
import { describePostgres, requireOwn } from "../support/describe-postgres.ts";

const opened: (Store | Notifications)[] = [];

interface TestListener {
  readonly notifications: Notifications;
  readonly received: Notification[];
  readonly errors: unknown[];
}

/** Listens like another process, on its own connection. */
async function aListener(url: string): Promise<TestListener> {
  const errors: unknown[] = [];
  const received: Notification[] = [];
  const notifications = await openPostgresNotifications(url, {
    onError: (error) => errors.push(error),
    heartbeatMs: 50,
  });
  opened.push(notifications);
  const probe = { tenantId: randomUUID(), sessionId: "probe", seq: 0 };
  let isListening = false;
  notifications.listen((notification) => {
    if (notification.sessionId !== probe.sessionId) received.push(notification);
    else if (notification.tenantId === probe.tenantId) isListening = true;
  });
  // The listener is ready when it receives its own notification.
  await expect
    .poll(async () => {
      await notifications.notify(probe);
      return isListening;
    })
    .toBe(true);
  return { notifications, received, errors };
}

async function aStore(url: string): Promise<Store> {
  const store = await openPostgresStore(url);
  opened.push(store);
  await store.tenant("local").createSession({ id: SESSION, createdAt: 0 }, EMPTY_HEAD);
  return store;
}

await describePostgres("notifications through PostgreSQL", (server) => {
  afterAll(async () => {
    for (const each of opened) await each.close();
    await server.close();
  });

  test("notifications reach every listener with all characters of their ids", async () => {
    const url = await server.newDatabase();
    await aStore(url);
    const [here, there] = [await aListener(url), await aListener(url)];
    const grown = { tenantId: "ten\u0000ant", sessionId: "\ud83d 文件 '", seq: 7 };
    await here.notifications.notify(grown);
    await expect.poll(() => there.received).toEqual([grown]);
    await expect.poll(() => here.received).toEqual([grown]);
  });

  test("notifications that are sent together are combined into the newest of each session", async () => {
    const url = await server.newDatabase();
    await aStore(url);
    const { notifications, received } = await aListener(url);
    const seqs = Array.from({ length: 200 }, (_, index) => index + 1);
    await Promise.all(seqs.map((seq) => notifications.notify({ tenantId: "a", sessionId: `s${seq % 2}`, seq })));
    await expect.poll(() => received.length).toBe(2);
    expect(received.map(({ seq }) => seq).sort()).toEqual([199, 200]);
  });

  test("a notification that is too long to send makes listeners read the log instead", async () => {
    const url = await server.newDatabase();
    const tenant = (await aStore(url)).tenant("local");
    const { notifications, received } = await aListener(url);
    await append(tenant, say("One."));
    await notifications.notify({ tenantId: "local".repeat(2_000), sessionId: SESSION, seq: 1 });
    await expect.poll(() => received).toContainEqual({ tenantId: "local", sessionId: SESSION, seq: 1 });
  });

  test("sessions whose notifications were missed during a lost connection are found in the log", async () => {
    const url = await server.newDatabase();
    const tenant = (await aStore(url)).tenant("local");
    const { received, errors } = await aListener(url);
    const database = new URL(url).pathname.slice(1);
    // Entries without a notification, while the connection is lost.
    await server.run(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}' AND query LIKE '%LISTEN%'
       OR query LIKE '%max(entry_key)%' AND datname = '${database}' AND pid <> pg_backend_pid()`,
    );
    await append(tenant, say("One."), say("Two."));
    await expect.poll(() => received).toContainEqual({ tenantId: "local", sessionId: SESSION, seq: 2 });
    expect(errors.length).toBeGreaterThan(0);
  });

  test("notifications work again after an outage of the server", async (context) => {
    const own = requireOwn(server, context);
    const url = await server.newDatabase();
    const tenant = (await aStore(url)).tenant("local");
    const { notifications, received } = await aListener(url);
    await own.stop("fast");
    await notifications.notify({ tenantId: "local", sessionId: SESSION, seq: 0 });
    await own.start();
    await append(tenant, say("After."));
    await expect.poll(() => received).toContainEqual({ tenantId: "local", sessionId: SESSION, seq: 1 });
    received.length = 0;
    await notifications.notify({ tenantId: "local", sessionId: SESSION, seq: 9 });
    await expect.poll(() => received).toContainEqual({ tenantId: "local", sessionId: SESSION, seq: 9 });
  });

  test("notifications reach the other listeners if one throws, and its error is reported", async () => {
    const url = await server.newDatabase();
    await aStore(url);
    const { notifications, received, errors } = await aListener(url);
    const stop = notifications.listen(() => {
      throw new Error("Not today.");
    });
    await notifications.notify({ tenantId: "a", sessionId: "s", seq: 1 });
    await expect.poll(() => received.length).toBe(1);
    expect(errors).toContainEqual(new Error("Not today."));
    stop();
  });
});
