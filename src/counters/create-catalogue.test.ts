import { describe, expect, test } from "vitest";
import { createCatalogue } from "./create-catalogue.ts";
import { loadCatalogue } from "./load-catalogue.ts";

describe("createCatalogue", () => {
  test("finds a known model without a warning", async () => {
    const { info, warning } = await createCatalogue().find("openai/gpt-4o");
    expect(info).toMatchObject({ id: "openai/gpt-4o", windowTokens: 128_000, provider: "openai" });
    expect(warning).toBeUndefined();
  });

  test("assumes a small window for a model that nobody knows, and warns", async () => {
    const unknown = await createCatalogue().find("house-model");
    expect(unknown.info.windowTokens).toBe(8_192);
    expect(unknown.warning).toContain("house-model");
    expect((await createCatalogue().find(undefined)).warning).toContain("No model");
  });

  test("takes the word of the caller before its own", async () => {
    const catalogue = createCatalogue({ overrides: { "house-model": { windowTokens: 64_000 } } });
    expect(await catalogue.find("house-model")).toMatchObject({ info: { windowTokens: 64_000 } });
  });

  test("loads the list once", async () => {
    expect(await loadCatalogue()).toBe(await loadCatalogue());
  });
});
