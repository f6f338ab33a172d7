import { expect, test } from "vitest";
import { sayModels } from "./describe-models.ts";

const offline = { id: "offline", isOffline: true };
const small = { id: "small-model", isOffline: false };

test("the first door names whom one would talk to, and says where there is nobody but quotes", () => {
  expect(sayModels(undefined)).toBe("Begin a conversation.");
  expect(sayModels([offline])).toMatch(/No model is set up here: answers only quote/);
  expect(sayModels([small, offline])).toBe("Begin a conversation with small-model.");
  expect(sayModels([small, { ...small, id: "large-model" }])).toMatch(/with small-model or another model\.$/);
});
