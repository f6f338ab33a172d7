/** Sessions: created once, listed by last use, and separate from each other and from other tenants. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { EMPTY_HEAD } from "../../core/log/head.ts";
import { shows } from "../shows.ts";
import { append, appendChange, aTenant, note, read, SESSION, say, summarize } from "./contract-log.ts";
import { type ContractPart, expectError, expectMatch, expectSame } from "./store-under-test.ts";

export function describeSessions(part: ContractPart): void {
  describeTenants(part);
  describeLists(part);
  describeLifetime(part);
}

function describeTenants({ describe, test, shared, make }: ContractPart): void {
  describe("tenants", () => {
    test("tenants with equal session ids see nothing of each other", async () => {
      const { store } = await shared();
      const [ours, theirs] = [store.tenant(randomUUID()), store.tenant(randomUUID())];
      await ours.createSession({ id: SESSION, createdAt: 0 }, EMPTY_HEAD);
      const secret = say("our secret");
      await ours.append(SESSION, { entries: [secret] });
      expectSame(await theirs.findSession(SESSION), undefined);
      expectSame(await theirs.createSession({ id: SESSION, createdAt: 0 }, EMPTY_HEAD), "created");
      expectSame(await theirs.readEntries(SESSION, {}), []);
      expectSame(await theirs.findMessage(SESSION, secret.id), undefined);
      expectSame(await theirs.search({ text: "secret", limit: 10 }), []);
      expectSame(
        (await theirs.listSessions({ limit: 10 })).map(({ messageCount }) => messageCount),
        [0],
      );
      await ours.lease(SESSION, 60_000);
      expectMatch(await theirs.lease(SESSION, 60_000), { fence: 1 });
      await theirs.renameSession(SESSION, "Theirs");
      expectSame((await ours.findSession(SESSION))?.header.title, undefined);
      await theirs.deleteSession(SESSION);
      expectSame((await ours.readEntries(SESSION, {})).length, 1);
    });

    test("a tenant cannot fork another tenant's session", async () => {
      const { store } = await shared();
      const [ours, theirs] = [store.tenant(randomUUID()), store.tenant(randomUUID())];
      await ours.createSession({ id: SESSION, createdAt: 0 }, EMPTY_HEAD);
      const fork = { parentId: SESSION, atSeq: 0 };
      await expectError("session-not-found", () => theirs.createSession({ id: "f", createdAt: 0, fork }, EMPTY_HEAD));
      expectSame(await theirs.listForks(SESSION), []);
    });

    test("ids of tenants and sessions may be names such as __proto__ and constructor", async () => {
      const { store } = await shared();
      await store.tenant("__proto__").createSession({ id: "constructor", createdAt: 0 }, EMPTY_HEAD);
      assert((await store.tenant("__proto__").findSession("constructor")) !== undefined);
      expectSame(await store.tenant(randomUUID()).findSession("constructor"), undefined);
    });

    test("a closed store refuses every call", async () => {
      const under = await make();
      const tenant = await aTenant(under);
      await under.store.close();
      await under.store.close();
      assert.throws(() => under.store.tenant("local"), { name: "PalimpsestError", code: "closed" });
      await expectError("closed", () => tenant.append(SESSION, { entries: [say("Hello.")] }));
      await expectError("closed", () => tenant.findSession(SESSION));
    });
  });
}

function describeLists({ describe, test, testTenant, shared }: ContractPart): void {
  describe("listSessions", () => {
    test(
      shows(["S3-34", "S3-115"], "returns the most recently used session first, with preview, count and first role"),
      async () => {
        const tenant = await aTenant(await shared(), "old");
        await tenant.createSession({ id: "new", createdAt: 5, title: "Colors" }, EMPTY_HEAD);
        await tenant.append("new", { entries: [say("Which color?", { at: 10 }), say("Blue.", { at: 30 })] });
        await tenant.append("old", { entries: [say("x".repeat(500), { at: 20 })] });
        const sessions = await tenant.listSessions({ limit: 10 });
        expectSame(
          sessions.map(({ id }) => id),
          ["new", "old"],
        );
        expectSame(sessions[0], {
          id: "new",
          title: "Colors",
          createdAt: 5,
          updatedAt: 30,
          messageCount: 2,
          preview: "Which color?",
          firstRole: "user",
        });
        expectSame(sessions[1]?.preview, "x".repeat(100));
        expectSame((await tenant.listSessions({ limit: 1 })).length, 1);
      },
    );

    testTenant("lists a session without messages with its creation time and an empty preview", async (tenant) => {
      await append(tenant, note("n1"));
      const empty = { updatedAt: 0, messageCount: 0, preview: "", firstRole: undefined };
      expectMatch((await tenant.listSessions({ limit: 1 }))[0], empty);
    });

    testTenant(shows("S3-159", "counts and previews only messages"), async (tenant) => {
      await append(tenant, note("n1"), say("First words."), say("Second words."));
      const [, , second] = await read(tenant);
      const replacement = { type: "text", text: "Summed up and pruned." } as const;
      const pruned = { seq: 3, messageId: String(second?.id), partIndex: 0, fate: "pruned", reason: "old" } as const;
      await appendChange(tenant, { type: "prune", prunes: [{ ...pruned, replacement }], reason: "Summed up." });
      await appendChange(tenant, summarize("Summed up.", 2));
      expectMatch((await tenant.listSessions({ limit: 1 }))[0], { messageCount: 2, preview: "First words." });
      expectSame((await tenant.readMessageKeys(SESSION)).length, 2);
      expectSame(await tenant.search({ text: "summed", limit: 10 }), []);
    });

    testTenant("never splits a surrogate pair in a preview", async (tenant) => {
      await append(tenant, say(`a${"😀".repeat(200)}`));
      expectSame((await tenant.listSessions({ limit: 1 }))[0]?.preview.isWellFormed(), true);
    });

    test("returns pages of sessions, and sorts equal times by id", async () => {
      const tenant = await aTenant(await shared(), "s0");
      for (const at of [1, 2, 3]) await tenant.createSession({ id: `s${at}`, createdAt: Math.min(at, 2) }, EMPTY_HEAD);
      const first = await tenant.listSessions({ limit: 2 });
      const second = await tenant.listSessions({ limit: 2, after: first.at(-1) });
      const third = await tenant.listSessions({ limit: 2, after: second.at(-1) });
      expectSame(
        [...first, ...second, ...third].map(({ id }) => id),
        ["s3", "s2", "s1", "s0"],
      );
    });

    testTenant("keeps the newest time of a session if the clock is set back", async (tenant) => {
      await append(tenant, say("Hello.", { at: 100 }), say("Back.", { at: 50 }));
      await append(tenant, say("Further back.", { at: 20 }));
      expectSame((await tenant.listSessions({ limit: 1 }))[0]?.updatedAt, 100);
    });
  });
}

function describeLifetime({ describe, testTenant }: ContractPart): void {
  describe("sessions", () => {
    testTenant("a session is created only once", async (tenant) => {
      await append(tenant, say("Hello."));
      expectSame(await tenant.createSession({ id: SESSION, createdAt: 9 }, EMPTY_HEAD), "exists");
      expectSame((await read(tenant)).length, 1);
      const tries = Array.from({ length: 20 }, () => tenant.createSession({ id: "t", createdAt: 0 }, EMPTY_HEAD));
      expectSame((await Promise.all(tries)).filter((outcome) => outcome === "created").length, 1);
    });

    testTenant(shows("S3-114", "a session contains only its own messages, even if ids are equal"), async (tenant) => {
      await tenant.createSession({ id: "t", createdAt: 0 }, EMPTY_HEAD);
      const draft = say("Hello.");
      await append(tenant, draft);
      const other = { ...say("Good bye."), id: draft.id };
      expectMatch(await tenant.append("t", { entries: [other] }), { type: "appended", lastSeq: 1 });
      expectSame((await tenant.findMessage(SESSION, draft.id))?.hash, draft.hash);
    });

    testTenant("a session can be renamed and deleted", async (tenant) => {
      expectSame(await tenant.renameSession(SESSION, "Colors"), true);
      expectSame((await tenant.findSession(SESSION))?.header.title, "Colors");
      expectSame(await tenant.deleteSession(SESSION), true);
      expectSame(await tenant.findSession(SESSION), undefined);
      expectSame([await tenant.deleteSession(SESSION), await tenant.renameSession(SESSION, "x")], [false, false]);
    });

    testTenant("a deleted session leaves nothing, and its id can be used again", async (tenant) => {
      const draft = say("The launch code.");
      await append(tenant, draft, say("More."));
      await tenant.addCounts(SESSION, "a", new Map([[1, 5]]));
      await tenant.lease(SESSION, 60_000);
      await tenant.deleteSession(SESSION);
      expectSame(await tenant.search({ text: "launch", limit: 10 }), []);
      expectSame([await read(tenant), await tenant.readView(SESSION)], [[], undefined]);
      expectSame(await tenant.createSession({ id: SESSION, createdAt: 3 }, EMPTY_HEAD), "created");
      expectSame(await append(tenant, draft), [{ ...draft, seq: 1 }]);
      expectMatch(await tenant.lease(SESSION, 10), { fence: 1 });
    });
  });
}
