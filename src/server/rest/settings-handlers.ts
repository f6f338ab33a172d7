/** The policy in force, its sources, and the server's models and limits. This module has no access to API keys. */
import { PalimpsestError } from "../../core/errors.ts";
import { MAX_BUCKETS, MAX_MESSAGES, MAX_PER_PAGE } from "../../protocol/values.ts";
import { LOCAL_TENANT } from "../access/tokens.ts";
import type { Handlers, RouteCall } from "../app/handler.ts";
import { RefusedRequest } from "../http/answer-error.ts";
import { MAX_IMAGE_BYTES } from "../http/body-limit.ts";
import { BODY_LIMITS } from "../http/read-body.ts";
import type { ServerParts } from "./server-parts.ts";

type Name = "readSettings" | "writeSettings" | "checkSettings" | "listPresets";

const LIMITS = {
  bodyBytes: BODY_LIMITS.bytes,
  bodyDepth: BODY_LIMITS.depth,
  imageBytes: MAX_IMAGE_BYTES,
  messagesPerRequest: MAX_MESSAGES,
  entriesPerPage: MAX_PER_PAGE,
  stripBuckets: MAX_BUCKETS,
};

export function createSettingsHandlers(parts: ServerParts): Handlers<Name> {
  const { models, policies, version } = parts;
  const show = ({ engine, tenant }: Pick<RouteCall<Name>, "engine" | "tenant">): object => ({
    policy: engine.settings(),
    sources: tenant.id === LOCAL_TENANT ? policies.sources() : policies.sources().map(withoutPath),
    isWritable: policies.write !== undefined && tenant.id === LOCAL_TENANT,
    models: models.map(({ id, isOffline }) => ({ id, isOffline })),
    limits: LIMITS,
    version,
  });
  return {
    readSettings: async (call) => show(call),
    checkSettings: async ({ body }) => check(body.policy, policies),
    listPresets: async () => ({
      presets: Object.entries(policies.presets).map(([name, policy]) => ({ name, policy })),
    }),
    writeSettings: async (call) => {
      if (call.tenant.id !== LOCAL_TENANT) {
        throw new RefusedRequest(
          "settings-fixed",
          "All tenants share one policy, and only the owner of the server can change it.",
        );
      }
      if (policies.write === undefined) {
        const text =
          "The policy is fixed: the server was started without a configuration file (--config <file>), or its options or PALIMPSEST_POLICY set the policy.";
        throw new RefusedRequest("settings-fixed", text);
      }
      await policies.write(call.body.policy);
      return show(call);
    },
  };
}

/** Only the owner sees where the server's files are. */
function withoutPath({ path: _, ...source }: ReturnType<ServerParts["policies"]["sources"]>[number]) {
  return source;
}

/** Answers an invalid policy with 200: clients check while the user types. */
function check(policy: unknown, policies: ServerParts["policies"]): object {
  try {
    return { type: "valid", policy: policies.check(policy) };
  } catch (error) {
    if (!(error instanceof PalimpsestError) || error.code !== "config-invalid") throw error;
    const { key } = error.details;
    return { type: "invalid", key: typeof key === "string" ? key : undefined, message: error.message };
  }
}
