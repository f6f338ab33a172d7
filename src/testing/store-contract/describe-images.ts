/** Images, files and long texts: unchanged, stored once, removed with their last message, and limited. */
import assert from "node:assert/strict";
import { EMPTY_HEAD } from "../../core/log/head.ts";
import type { ImagePart, Message, Part } from "../../core/message/message.ts";
import type { TenantStore } from "../../ports/store.ts";
import { textPart, toolResultPart } from "../builders.ts";
import {
  append,
  appendChange,
  aTenant,
  aToolResult,
  aUserMessage,
  batchOf,
  draftOf,
  erase,
  fork,
  headOf,
  isMessage,
  pinNote,
  read,
  SESSION,
  say,
  truncate,
} from "./contract-log.ts";
import { type ContractPart, expectError, expectMatch, expectSame, type StoreUnderTest } from "./store-under-test.ts";

const MEGABYTE = 2 ** 20;
/** Longer than the chunk of 512 KiB in which SQL stores write an image. */
const TWO_CHUNKS = 600 * 1_024;

/** Builds an image of this length, different for each seed. */
function image(seed: number, length = 2_000): ImagePart {
  const bytes = Buffer.alloc(length, `pixels of ${seed} `);
  return { type: "image", source: { type: "data", base64: bytes.toString("base64") }, mediaType: "image/png" };
}

const showing = (...parts: readonly Part[]): Message => aUserMessage("", { parts: [textPart("Look:"), ...parts] });
const countBlobs = async (tenant: TenantStore) => (await tenant.statistics()).blobs;

async function messagesOf(tenant: TenantStore, id = SESSION): Promise<readonly Message[]> {
  return (await read(tenant, id)).filter(isMessage).map(({ message }) => message);
}

export function describeImages(part: ContractPart): void {
  part.describe("images and long texts", () => {
    describeReads(part);
    describeSharing(part);
    describeRemoval(part);
    describeLimits(part);
  });
}

function describeReads({ test, testTenant, make }: ContractPart): void {
  const everyKind = (): readonly Message[] => [
    showing(image(1, TWO_CHUNKS), image(2)),
    showing({ ...image(3), type: "file", mediaType: "application/pdf", name: "a.pdf" }),
    aUserMessage("", { parts: [textPart(`long ${"words and \u00e4 ".repeat(40_000)}`)] }),
    aToolResult("a", { type: "parts", parts: [textPart("A picture."), image(4)] }),
    showing({ type: "image", source: { type: "url", url: "https://example.com/a.png" } }),
  ];

  testTenant("every read returns images, files and long texts unchanged", async (tenant) => {
    const messages = everyKind();
    const stored = await append(tenant, ...messages.map((message) => draftOf(message)));
    expectSame(
      stored.filter(isMessage).map(({ message }) => message),
      messages,
    );
    expectSame(await messagesOf(tenant), messages);
    const view = await tenant.readView(SESSION);
    expectSame(
      view?.entries.filter(isMessage).map(({ message }) => message),
      messages,
    );
    for (const message of messages) expectSame((await tenant.findMessage(SESSION, message.id))?.message, message);
    await fork(tenant, { id: "f", atSeq: messages.length });
    expectSame(await messagesOf(tenant, "f"), messages);
    expectSame((await tenant.search({ text: "long words", limit: 9 })).length, 1);
  });

  test("images are returned unchanged after they are sent again, in a view that keeps them, and after a restart", async () => {
    const under = await make();
    const tenant = await aTenant(under, SESSION, "a");
    const [first, second] = [showing(image(1, TWO_CHUNKS)), showing(image(2))];
    await append(tenant, draftOf(first), draftOf(second));
    const again = await append(tenant, draftOf(first), say("Next."));
    expectSame(again.filter(isMessage)[0]?.message, first);
    await appendChange(tenant, truncate(2, [1]));
    expectMatch((await tenant.readView(SESSION))?.entries[0], { message: first });
    if (under.reopen === undefined) return;
    const store = await under.reopen();
    expectSame((await messagesOf(store.tenant("a"))).slice(0, 2), [first, second]);
    await store.close();
  });
}

function describeSharing({ test, testTenant, shared }: ContractPart): void {
  const forTwoSessions = ({ keepsBlobsBy = "tenant" }: StoreUnderTest) => (keepsBlobsBy === "tenant" ? 1 : 2);

  testTenant("an image is stored once for all messages that contain it", async (tenant, under) => {
    await tenant.createSession({ id: "t", createdAt: 0 }, EMPTY_HEAD);
    await append(tenant, draftOf(showing(image(1), image(1))));
    await append(tenant, draftOf(showing(image(1))));
    expectSame(await countBlobs(tenant), { count: 1, bytes: 2_000 });
    await tenant.append("t", { entries: [draftOf(showing(image(1)))] });
    const copies = forTwoSessions(under);
    expectSame(await countBlobs(tenant), { count: copies, bytes: 2_000 * copies });
    await append(tenant, draftOf(showing(image(2, 3_000))));
    expectSame(await countBlobs(tenant), { count: copies + 1, bytes: 2_000 * copies + 3_000 });
  });

  test("images are stored separately for each tenant", async () => {
    const under = await shared();
    const [ours, theirs] = [await aTenant(under), await aTenant(under)];
    const [mine, yours] = [showing(image(1)), showing(image(1))];
    await append(ours, draftOf(mine));
    await append(theirs, draftOf(yours));
    await ours.deleteSession(SESSION);
    expectSame([await countBlobs(ours), await countBlobs(theirs)], [NONE, { count: 1, bytes: 2_000 }]);
    expectSame(await messagesOf(theirs), [yours]);
  });
}

const NONE = { count: 0, bytes: 0 };

function describeRemoval({ testTenant }: ContractPart): void {
  testTenant("an image is removed with the last message that contains it", async (tenant) => {
    const [first, second] = [showing(image(1), image(2)), showing(image(1))];
    await append(tenant, draftOf(first), draftOf(second));
    await erase(tenant, [first.id]);
    expectSame(await countBlobs(tenant), { count: 1, bytes: 2_000 });
    expectSame((await messagesOf(tenant))[1], second);
    await erase(tenant, [second.id]);
    expectSame(await countBlobs(tenant), NONE);
  });

  testTenant("an image is removed with its session, unless another session contains it", async (tenant) => {
    await tenant.createSession({ id: "t", createdAt: 0 }, EMPTY_HEAD);
    const theirs = showing(image(1));
    await append(tenant, draftOf(showing(image(1), image(2))));
    await tenant.append("t", { entries: [draftOf(theirs)] });
    await tenant.deleteSession(SESSION);
    expectSame(await countBlobs(tenant), { count: 1, bytes: 2_000 });
    expectSame(await messagesOf(tenant, "t"), [theirs]);
    await tenant.deleteSession("t");
    expectSame(await countBlobs(tenant), NONE);
  });

  testTenant("an image survives a deleted fork, and is removed when any fork erases it", async (tenant) => {
    const sent = showing(image(1));
    await append(tenant, draftOf(sent));
    await fork(tenant, { id: "f", atSeq: 1 });
    await fork(tenant, { id: "g", atSeq: 1 });
    await tenant.append("f", { entries: [draftOf(showing(image(1)))] });
    await tenant.deleteSession("f");
    expectSame([await messagesOf(tenant), await messagesOf(tenant, "g")], [[sent], [sent]]);
    await erase(tenant, [sent.id], "g");
    expectSame(await countBlobs(tenant), NONE);
    expectMatch((await read(tenant))[0], { erased: true });
  });

  testTenant("an image can be stored again after it was removed", async (tenant) => {
    const [first, second] = [showing(image(1)), showing(image(1))];
    await append(tenant, draftOf(first));
    await erase(tenant, [first.id]);
    await append(tenant, draftOf(second));
    expectSame((await messagesOf(tenant)).at(-1), second);
  });

  testTenant("images of a refused batch are not stored", async (tenant) => {
    const late = batchOf(await headOf(tenant), pinNote, "late");
    await appendChange(tenant, pinNote);
    const shown = draftOf(showing(image(1)));
    expectMatch(await tenant.append(SESSION, { ...late, entries: [...late.entries, shown] }), { type: "stale" });
    expectMatch(await tenant.append(SESSION, { entries: [shown, { ...say("Other."), id: "e1" }] }), {
      type: "conflict",
    });
    await expectError("session-not-found", () => tenant.append("nowhere", { entries: [shown] }));
    expectSame(await countBlobs(tenant), NONE);
  });
}

function describeLimits({ testTenant }: ContractPart): void {
  const tooMuch: readonly (readonly [string, () => Message])[] = [
    ["a sixth image", () => showing(...[1, 2, 3, 4, 5, 6].map((seed) => image(seed, 10)))],
    ["an image of more than five megabytes", () => showing(image(1, 5 * MEGABYTE + 1))],
    ["six images in a tool result", () => aToolResult("a", { type: "parts", parts: Array(6).fill(image(1, 10)) })],
  ];
  for (const [name, build] of tooMuch) {
    testTenant(`a batch is refused as a whole for ${name}`, async (tenant) => {
      const entries = [say("Before."), draftOf(build()), say("After.")];
      await expectError("message-invalid", () => tenant.append(SESSION, { entries }));
      expectSame([await read(tenant), await countBlobs(tenant)], [[], NONE]);
    });
  }

  testTenant("a message may have five images, of up to five megabytes each", async (tenant) => {
    const most = [1, 2, 3, 4].map((seed) => image(seed, 100));
    const sent = showing(...most, image(5, 5 * MEGABYTE));
    await append(tenant, draftOf(sent));
    assert.deepEqual(await messagesOf(tenant), [sent]);
    expectSame((await append(tenant, draftOf(aUserMessage("", { parts: [toolResultPart("a", "Done.")] })))).length, 1);
  });
}
