import fc from "fast-check";
import { expect, test } from "vitest";
import { writeJson } from "./send-json.ts";

test("writeJson writes the same text as JSON.stringify, in pieces", async () => {
  const record = fc.record({ id: fc.string(), content: fc.string({ maxLength: 2_000 }) });
  const records = fc.oneof(fc.array(record), fc.array(record, { minLength: 150, maxLength: 350 }));
  const results = fc.oneof(fc.jsonValue(), records, fc.record({ messages: records, session_id: fc.constant(null) }));
  await fc.assert(
    fc.asyncProperty(fc.array(results, { minLength: 1, maxLength: 3 }), fc.boolean(), async (values, isBatch) => {
      const answers = values.map((result, id) => ({ jsonrpc: "2.0" as const, id, result, extra: undefined }));
      const answer = isBatch ? answers : (answers[0] ?? []);
      let written = "";
      for await (const piece of writeJson(answer)) written += piece;
      expect(written).toBe(JSON.stringify(answer));
    }),
    { numRuns: 200 },
  );
});
