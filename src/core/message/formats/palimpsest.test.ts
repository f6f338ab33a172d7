import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { histories } from "../../../testing/generate-histories.ts";
import { palimpsestFormat } from "./palimpsest.ts";

const context = { path: "messages[0]", fallbackId: "given" };
const decode = (item: unknown) => palimpsestFormat.decode(item, context);
const withPart = (part: unknown) => ({ id: "m", role: "assistant", parts: [part] });

describe("palimpsestFormat", () => {
  test("decodes and encodes every message without a change, even after a JSON round trip", () => {
    fc.assert(
      fc.property(histories(), (history) => {
        const copies = (JSON.parse(JSON.stringify(history)) as unknown[]).flatMap(decode);
        expect(isDeepStrictEqual(copies, JSON.parse(JSON.stringify(history)))).toBe(true);
        expect(palimpsestFormat.encode(copies)).toBe(copies);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("copies its input", () => {
    const input = { path: "a.ts" };
    const [message] = decode(withPart({ type: "tool-call", callId: "c", tool: "read", input }));
    input.path = "b.ts";
    expect(message?.parts).toEqual([{ type: "tool-call", callId: "c", tool: "read", input: { path: "a.ts" } }]);
  });

  test("uses the fallback id for a message without one", () => {
    expect(decode({ role: "user", parts: [] })).toEqual([{ id: "given", role: "user", parts: [] }]);
  });

  test("is never detected, so the caller has to name it", () => {
    expect(palimpsestFormat.recognize({ id: "m", role: "user", parts: [{ type: "text", text: "hello" }] })).toBe("no");
  });

  test.each([
    [undefined, "messages[0]"],
    [{ role: "alien", parts: [] }, "messages[0].role"],
    [{ role: "user" }, "messages[0].parts"],
    [{ role: "user", parts: [], id: 7 }, "messages[0].id"],
    [{ role: "user", parts: [], saidAt: "now" }, "messages[0].saidAt"],
    [withPart(null), "messages[0].parts[0]"],
    [withPart({ type: "hologram" }), "messages[0].parts[0].type"],
    [withPart({ type: "text", text: 1 }), "messages[0].parts[0].text"],
    [withPart({ type: "tool-call", callId: "c", tool: 3 }), "messages[0].parts[0].tool"],
    [
      withPart({ type: "tool-call", callId: "c", tool: "t", input: { when: Number.NaN } }),
      "messages[0].parts[0].input.when",
    ],
    [withPart({ type: "tool-result", callId: "c", output: { type: "scroll" } }), "messages[0].parts[0].output.type"],
    [
      withPart({
        type: "tool-result",
        callId: "c",
        output: { type: "parts", parts: [{ type: "reasoning", text: "" }] },
      }),
      "messages[0].parts[0].output.parts[0].type",
    ],
    [
      withPart({ type: "tool-result", callId: "c", failed: "no", output: { type: "text", text: "" } }),
      "messages[0].parts[0].failed",
    ],
    [withPart({ type: "image", source: { type: "tape" } }), "messages[0].parts[0].source.type"],
    [withPart({ type: "file", source: { type: "url", url: "u" } }), "messages[0].parts[0].mediaType"],
    [withPart({ type: "text", text: "", extras: { anthropic: 1 } }), "messages[0].parts[0].extras.anthropic"],
  ])("refuses %j and names the path", (item, path) => {
    expect(() => decode(item)).toThrow(
      expect.objectContaining({ code: "message-invalid", details: expect.objectContaining({ path }) }),
    );
  });
});
