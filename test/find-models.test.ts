/**
 * Models from the environment and the configuration file: which are found, which is the default, and that keys are
 * never shown.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { generateText } from "ai";
import { describe, expect, test } from "vitest";
import { PalimpsestError } from "../src/core/errors.ts";
import { loadCatalogue } from "../src/counters/create-catalogue.ts";
import { connectModel } from "../src/models/connect-model.ts";
import { findCurrentModels } from "../src/models/current-models.ts";
import { findConnections } from "../src/models/find-connections.ts";
import { findModels } from "../src/models/find-models.ts";
import { readServerConfig } from "../src/models/read-server-config.ts";
import { startScriptedProvider } from "./support/scripted-provider.ts";

const catalogue = await loadCatalogue();
const KEY = "sk-ant-this-is-no-key-of-anybody";

function find(environment: Readonly<Record<string, string>>, file: unknown = undefined) {
  return findModels({ environment, config: readServerConfig(file), catalogue });
}

async function idsOf(environment: Readonly<Record<string, string>>): Promise<readonly string[]> {
  return (await find(environment)).models.map(({ id }) => id);
}

describe("models from the environment", () => {
  test("are an empty list if no variable is set, or only blank ones", async () => {
    expect(await find({ ANTHROPIC_API_KEY: " ", OPENAI_API_KEY: "" })).toMatchObject({ models: [], summarizers: [] });
  });

  test.each([
    ["ANTHROPIC_API_KEY", /^anthropic:claude-sonnet-/, /^claude-haiku-/],
    ["OPENAI_API_KEY", /^openai:gpt-/, /^gpt-/],
    ["GOOGLE_GENERATIVE_AI_API_KEY", /^google:gemini-.*flash$/, /^gemini-.*flash-lite$/],
    ["GEMINI_API_KEY", /^google:gemini-.*flash$/, /^gemini-.*flash-lite$/],
  ])("%s adds a few current models, and a small one for summaries", async (name, first, small) => {
    const { models, summarizers, complaints } = await find({ [name]: KEY });
    expect(models.length).toBeGreaterThanOrEqual(3);
    expect(models[0]?.id).toMatch(first);
    expect(summarizers[0]?.modelId).toMatch(small);
    expect(complaints).toEqual([]);
  });

  test("are the newest of each family in the catalogue", () => {
    for (const kind of ["anthropic", "openai", "google"] as const) {
      const { ids, small } = findCurrentModels(kind, catalogue);
      for (const id of [...ids, small ?? ""]) expect(catalogue.models).toHaveProperty([id]);
    }
    const models = { "claude-opus-4-5": [1, 1, 1], "claude-opus-4-10": [1, 1, 1], "claude-opus-4": [1, 1, 1] } as const;
    expect(findCurrentModels("anthropic", { ...catalogue, models }).ids).toEqual(["claude-opus-4-10"]);
  });

  test("PALIMPSEST_MODEL selects a model, with or without its vendor, even one that is not listed", async () => {
    const keys = { ANTHROPIC_API_KEY: KEY, OPENAI_API_KEY: KEY };
    expect((await idsOf({ ...keys, PALIMPSEST_MODEL: "openai:gpt-4o-mini" }))[0]).toBe("openai:gpt-4o-mini");
    expect((await idsOf({ ...keys, PALIMPSEST_MODEL: "gpt-5.1" }))[0]).toBe("openai:gpt-5.1");
    expect((await idsOf({ ...keys, PALIMPSEST_MODEL: "claude-opus-4-5" }))[0]).toBe("anthropic:claude-opus-4-5");
    await expect(find({ ...keys, PALIMPSEST_MODEL: "gemini-2.5-pro" })).rejects.toThrow(
      /the model gemini-2.5-pro is not available/,
    );
    await expect(find({ PALIMPSEST_MODEL: "gpt-5.1" })).rejects.toThrow(/Set OPENAI_API_KEY/);
    await expect(find({ PALIMPSEST_MODEL: "heron" })).rejects.toThrow(
      /No API key or model server is configured\. Set ANTHROPIC_API_KEY,/,
    );
  });

  test("an unavailable default model is reported with its source", async () => {
    const options = { environment: {}, catalogue: await loadCatalogue() };
    const config = { model: "heron", connections: [] };
    await expect(findModels({ ...options, config })).rejects.toThrow(
      /^server\.model: the model heron is not available/,
    );
    await expect(findModels({ ...options, config, model: "crane" })).rejects.toThrow(/^--model: the model crane/);
  });

  test("any server with OpenAI's protocol is called at its address, with its key and window", async () => {
    const { models, infos } = await find({
      PALIMPSEST_BASE_URL: "http://127.0.0.1:9/v1/",
      PALIMPSEST_MODEL: "qwen3:8b",
      PALIMPSEST_WINDOW_TOKENS: "40960",
    });
    expect(models.map(({ id }) => id)).toEqual(["compatible:qwen3:8b"]);
    expect(infos).toEqual({ "qwen3:8b": { windowTokens: 40_960 } });
  });

  test.each([
    ["127.0.0.1:1234", "http://127.0.0.1:1234/v1"],
    ["0.0.0.0", "http://127.0.0.1:11434/v1"],
    [":4000", "http://127.0.0.1:4000/v1"],
    ["box.local", "http://box.local:11434/v1"],
    ["https://ollama.example", "https://ollama.example/v1"],
  ])("OLLAMA_HOST may be %s", (given, baseUrl) => {
    expect(findConnections({ OLLAMA_HOST: given }, { connections: [] })).toMatchObject([{ name: "ollama", baseUrl }]);
  });

  test("a server without a configured model is asked for its models", async () => {
    const served = createServer((request, response) => {
      const isKnown = request.url === "/v1/models" && request.headers.authorization === "Bearer local";
      response.writeHead(isKnown ? 200 : 404).end(JSON.stringify({ data: [{ id: "llama3" }, { id: "qwen3" }, {}] }));
    });
    await new Promise<void>((resolve) => served.listen(0, "127.0.0.1", resolve));
    const base = `http://127.0.0.1:${(served.address() as AddressInfo).port}/v1`;
    const found = await find({ PALIMPSEST_BASE_URL: base, PALIMPSEST_API_KEY: "local" });
    expect(found.models.map(({ id }) => id)).toEqual(["compatible:llama3", "compatible:qwen3"]);
    const refused = await find({ OPENAI_BASE_URL: base, OPENAI_API_KEY: "other" });
    expect(refused).toMatchObject({ models: [], complaints: [expect.stringMatching(/status 404.*PALIMPSEST_MODEL/)] });
    await new Promise((resolve) => served.close(resolve));
    const away = await find({ OLLAMA_HOST: base, ANTHROPIC_API_KEY: KEY });
    expect(away.complaints).toEqual([expect.stringMatching(/^OLLAMA_HOST is set, but the server cannot be reached\./)]);
    expect(away.models[0]?.id).toMatch(/^anthropic:/);
  });

  test.each([
    { PALIMPSEST_BASE_URL: `ftp://user:${KEY}@host` },
    { OPENAI_BASE_URL: `user:${KEY}@` },
    { OLLAMA_HOST: `http://${KEY}:x:y` },
    { PALIMPSEST_BASE_URL: "http://127.0.0.1:9", PALIMPSEST_WINDOW_TOKENS: KEY },
    { ANTHROPIC_API_KEY: KEY, PALIMPSEST_MODEL: "nobody:knows" },
  ])("an invalid value in %j is reported without the value", async (environment) => {
    const error = await find(environment as Readonly<Record<string, string>>).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(PalimpsestError);
    expect(error).toMatchObject({ code: "config-invalid" });
    expect(JSON.stringify([String(error), (error as PalimpsestError).details])).not.toContain(KEY);
  });

  test("a key is never shown", async () => {
    const found = await find({ ANTHROPIC_API_KEY: KEY, OPENAI_API_KEY: KEY, GEMINI_API_KEY: KEY });
    expect(JSON.stringify(found)).not.toContain(KEY);
  });

  test.each([
    ["anthropic", "/v1", "/v1/messages", "x-api-key"],
    ["openai", "/v1", "/v1/chat/completions", "authorization"],
    ["google", "/v1beta", "/v1beta/models/any:generateContent", "x-goog-api-key"],
    ["compatible", "/v1", "/v1/chat/completions", "authorization"],
  ] as const)("a model of the kind %s is called in its own format, with its key in a header", async (...row) => {
    const [kind, base, path, header] = row;
    await using provider = await startScriptedProvider([{ type: "text", text: "Good day." }]);
    const connection = { name: kind, kind, openedBy: "a test", apiKey: KEY, baseUrl: `${provider.url}${base}` };
    const model = connectModel({ ...connection, modelIds: [] }, "any");
    expect((await generateText({ model, prompt: "Hello." })).text).toBe("Good day.");
    const [request] = provider.requests;
    expect(request?.path).toBe(path);
    expect(request?.headers[header]).toContain(KEY);
  });
});

describe("models from the configuration file", () => {
  const connection = { name: "vllm", baseUrl: "http://127.0.0.1:8000/v1", models: ["qwen3"], keyVariable: "VLLM_KEY" };

  test("are those of the servers that it names; keys come from the variables that it names", async () => {
    const file = { server: { model: "vllm:qwen3", connections: [connection] } };
    const { models } = await find({ ANTHROPIC_API_KEY: KEY, VLLM_KEY: KEY }, file);
    expect(models[0]?.id).toBe("vllm:qwen3");
    await expect(find({}, file)).rejects.toThrow(/VLLM_KEY, which is not set/);
  });

  test.each([
    [{ server: [] }, "server: expected an object"],
    [{ server: { apiKey: KEY } }, 'Unknown field "apiKey"'],
    [{ server: { apiKey: KEY } }, "API keys are read from environment variables only"],
    [{ server: { modle: "heron" } }, 'server: Unknown field "modle". Did you mean "model"?'],
    [
      { server: { connections: [{ ...connection, keyVariable: KEY }] } },
      "the variable that holds the key, not the key",
    ],
    [{ server: { connections: [{ ...connection, name: "openai" }] } }, "name: expected a short lower-case name"],
    [{ server: { connections: [{ ...connection, baseUrl: "vllm" }] } }, "begins with http://"],
    [{ server: { connections: [{ ...connection, windowTokens: 5 }] } }, "windowTokens: expected"],
  ])("are refused with a message if the file is %j", (file, words) => {
    const read = () => readServerConfig(file);
    expect(read).toThrow(words);
    expect(read).not.toThrow(KEY);
  });
});
