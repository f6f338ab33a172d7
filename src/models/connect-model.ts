/** Creates an AI SDK model for a connection. The vendor's package is loaded with the first call. */
import { createRequire } from "node:module";
import type { Connection, ConnectionKind } from "./find-connections.ts";
import type { SdkModel } from "./offline-model-format.ts";

const require = createRequire(import.meta.url);

const PACKAGES: Readonly<Record<ConnectionKind, string>> = {
  anthropic: "@ai-sdk/anthropic",
  openai: "@ai-sdk/openai",
  google: "@ai-sdk/google",
  compatible: "@ai-sdk/openai-compatible",
};

/** Returns the packages that are missing for a connection, without loading any. */
export function findMissingPackages({ kind }: Connection): readonly string[] {
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
    // The SDK reads this only before a call with file URLs, so the package is loaded only then.
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
      // Chat completions are stateless and take the whole prompt each time.
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
