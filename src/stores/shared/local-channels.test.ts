import { expect, test } from "vitest";
import type { Notification } from "../../ports/notifications.ts";
import { createLocalNotifications } from "./local-channels.ts";

const grown: Notification = { tenantId: "a", sessionId: "s", seq: 3 };

test("local notifications reach every listener until it is removed", async () => {
  const notifications = createLocalNotifications({ onError: () => undefined });
  const received: string[] = [];
  const stop = notifications.listen(({ seq }) => received.push(`first ${seq}`));
  notifications.listen(({ seq }) => received.push(`second ${seq}`));
  await notifications.notify(grown);
  stop();
  stop();
  await notifications.notify({ ...grown, seq: 4 });
  expect(received).toEqual(["first 3", "second 3", "second 4"]);
});

test("a listener that throws is reported and stays registered, and the others still run", async () => {
  const errors: unknown[] = [];
  const notifications = createLocalNotifications({ onError: (error) => errors.push(error) });
  const received: number[] = [];
  notifications.listen(() => {
    throw new Error("Not today.");
  });
  notifications.listen(({ seq }) => received.push(seq));
  await notifications.notify(grown);
  await notifications.notify(grown);
  expect(errors).toEqual([new Error("Not today."), new Error("Not today.")]);
  expect(received).toEqual([3, 3]);
});

test("closed notifications reach no listener", async () => {
  const notifications = createLocalNotifications({ onError: () => undefined });
  const received: number[] = [];
  notifications.listen(({ seq }) => received.push(seq));
  await notifications.close();
  await notifications.notify(grown);
  expect(received).toEqual([]);
});
