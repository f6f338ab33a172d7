import { describe, expect, test } from "vitest";
import { createCatalogue, loadCatalogue } from "./create-catalogue.ts";

describe("createCatalogue", () => {
  test("the catalogue finds a known model without a warning", async () => {
    const { info, warning } = await createCatalogue().find("openai/gpt-4o");
    expect(info).toMatchObject({ id: "openai/gpt-4o", windowTokens: 128_000, provider: "openai" });
    expect(warning).toBeUndefined();
  });

  test("the catalogue assumes a small window for an unknown model and warns", async () => {
    const unknown = await createCatalogue().find("house-model");
    expect(unknown.info.windowTokens).toBe(8_192);
    expect(unknown.warning).toContain("house-model");
    expect((await createCatalogue().find(undefined)).warning).toContain("No model");
  });

  test("an override describes a model that the catalogue lacks", async () => {
    const catalogue = createCatalogue({ overrides: { "house-model": { windowTokens: 64_000 } } });
    expect(await catalogue.find("house-model")).toMatchObject({ info: { windowTokens: 64_000 } });
  });

  test("the catalogue is loaded once", async () => {
    expect(await loadCatalogue()).toBe(await loadCatalogue());
  });
});
