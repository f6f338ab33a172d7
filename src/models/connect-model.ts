/**
 * A model of a connection, as the AI SDK knows models. The package of its vendor is loaded with the first call: a server
 * that nobody asks anything starts without it. Whether it is installed is known before.
 */
import { createRequire } from "node:module";
import type { Connection, ConnectionKind } from "./connection.ts";
import type { SdkModel } from "./offline-model-prompt.ts";

const require = createRequire(import.meta.url);

const PACKAGES: Readonly<Record<ConnectionKind, string>> = {
  anthropic: "@ai-sdk/anthropic",
  openai: "@ai-sdk/openai",
  google: "@ai-sdk/google",
  compatible: "@ai-sdk/openai-compatible",
};

/** What has to be installed before the connection can be used. Nothing is loaded by asking. */
export function missingPackages({ kind }: Connection): readonly string[] {
  return ["ai", PACKAGES[kind]].filter((name) => !isInstalled(name));
}

function isInstalled(name: string): boolean {
  try {
    require.resolve(name);
    return true;
  } catch {
    return false;
  }
}

export function connectModel(connection: Connection, modelId: string): SdkModel {
  let loading: Promise<SdkModel> | undefined;
  const load = (): Promise<SdkModel> => {
    loading ??= loadModel(connection, modelId);
    return loading;
  };
  return {
    specificationVersion: "v4",
    provider: connection.name,
    modelId,
    // Asked for before a call that holds addresses of files; only then is the package needed to tell.
    get supportedUrls() {
      return load().then(({ supportedUrls }) => supportedUrls);
    },
    doGenerate: async (call) => (await load()).doGenerate(call),
    doStream: async (call) => (await load()).doStream(call),
  };
}

async function loadModel({ name, kind, apiKey, baseUrl: baseURL }: Connection, modelId: string): Promise<SdkModel> {
  const settings = { ...(apiKey === undefined ? {} : { apiKey }), ...(baseURL === undefined ? {} : { baseURL }) };
  switch (kind) {
    case "anthropic":
      return (await import("@ai-sdk/anthropic")).createAnthropic(settings)(modelId);
    case "openai":
      // Chat completions keep nothing at the vendor's and take the whole prompt each time, as it is made here.
      return (await import("@ai-sdk/openai")).createOpenAI(settings).chat(modelId);
    case "google":
      return (await import("@ai-sdk/google")).createGoogle(settings)(modelId);
    case "compatible": {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      return createOpenAICompatible({ ...settings, name, baseURL: baseURL ?? "", includeUsage: true })(modelId);
    }
    default:
      return kind satisfies never;
  }
}
