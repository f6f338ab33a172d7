/** Values come back as they were given, whatever they hold and wherever they stand. */
import { randomUUID } from "node:crypto";
import { EMPTY_HEAD } from "../../core/log/head.ts";
import { textPart } from "../builders.ts";
import { encodingTexts, markupTexts } from "../hostile-texts.ts";
import { append, aTenant, aUserMessage, draftOf, note, read, SESSION, say } from "./contract-log.ts";
import { type ContractPart, matches, same } from "./store-under-test.ts";

export function describeValues({ describe, test, shared }: ContractPart): void {
  describe("values", () => {
    for (const { name, build } of [...encodingTexts(), ...markupTexts()]) {
      test(`come back as they were given: ${name}`, async () => {
        const { store } = await shared();
        const [text, tenantId] = [build(), `${build()}${randomUUID()}`];
        const tenant = store.tenant(tenantId);
        const said = aUserMessage(text, { id: text, name: text });
        await tenant.createSession({ id: text, createdAt: 0, title: text }, EMPTY_HEAD);
        await tenant.append(text, { entries: [draftOf(said), note(`${text}!`)] });
        await tenant.addCounts(text, text, new Map([[1, 7]]));
        matches(await tenant.findMessage(text, text), { id: text, message: said, recounts: { [text]: 7 } });
        matches(await tenant.findEntry(text, `${text}!`), { seq: 2 });
        same((await tenant.readMessageKeys(text))[0]?.id, text);
        matches((await tenant.listSessions({ limit: 1 }))[0], { id: text, title: text, preview: text });
        matches(await store.tenant(tenantId).findSession(text), { lastSeq: 2 });
      });
    }

    test("keep keys that objects inherit, and what looks like an escape", async () => {
      const tenant = await aTenant(await shared());
      const input = Object.fromEntries([["__proto__", "\ud83d"]]);
      const parts = [
        textPart("a\u0000b\ude00 \u001a0000 \\u0000"),
        { type: "tool-call", callId: "a", tool: "t", input } as const,
      ];
      const said = aUserMessage("", { parts, id: "\u001a0000\u0000" });
      await append(tenant, draftOf(said));
      const found = await tenant.findMessage(SESSION, said.id);
      same(JSON.stringify(found?.message.parts), JSON.stringify(parts));
    });

    test("keep a megabyte", async () => {
      const tenant = await aTenant(await shared());
      const said = say("word and \u0000 ".repeat(80_000));
      await append(tenant, said, say("After."));
      same((await read(tenant))[0], { ...said, seq: 1 });
    });

    test("tell ids apart that look alike", async () => {
      const tenant = await aTenant(await shared());
      const ids = ["a", "A", "a ", "á", "a\u0301", "\u0000", "\u001a0000", ""];
      for (const id of ids) await tenant.append(SESSION, { entries: [draftOf(aUserMessage(`Said ${id}`, { id }))] });
      same(
        (await tenant.readMessageKeys(SESSION)).map(({ id }) => id),
        ids,
      );
    });
  });
}
