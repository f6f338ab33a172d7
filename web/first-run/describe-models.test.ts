import { expect, test } from "vitest";
import { describeModels } from "./describe-models.ts";

const offline = { id: "offline", isOffline: true };
const small = { id: "small-model", isOffline: false };

test("the Chat button names the default model, and says if no model is configured", () => {
  expect(describeModels(undefined)).toBe("Start a conversation.");
  expect(describeModels([offline])).toMatch(/No model is configured: answers quote/);
  expect(describeModels([small, offline])).toBe("Start a conversation with small-model.");
  expect(describeModels([small, { ...small, id: "large-model" }])).toMatch(/with small-model or another model\.$/);
});
