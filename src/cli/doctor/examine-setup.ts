/** What somebody has written down: configuration, tokens, models. Keys are never read out. */
import { existsSync } from "node:fs";
import { sayWithoutSecrets } from "../../core/summary/secrets/redact-secrets.ts";
import { createPolicySource } from "../../policies/config-sources.ts";
import { readTokens } from "../../server/access/token-file.ts";
import type { Invocation } from "../command.ts";
import { readEngineSetup } from "../engine-setup.ts";
import { bad, type Finding, good, sayFailure, warning } from "./finding.ts";

export async function examineSetup(invocation: Invocation): Promise<readonly Finding[]> {
  try {
    const { configFile, found, unknownVariables } = await readEngineSetup(invocation);
    const { environment } = invocation.terminal;
    const isThere = existsSync(configFile);
    createPolicySource({ path: isThere ? configFile : undefined, environment });
    const names = found.models.map(({ id }) => id);
    return [
      good("configuration", isThere ? `${configFile} can be used` : `No ${configFile}: the defaults hold`),
      names.length === 0
        ? good("models", "None was set: the offline model answers. palimpsest serve --help says how to set one")
        : good("models", names.join(", ")),
      ...found.complaints.map((text) => warning("models", sayWithoutSecrets(text), "See palimpsest serve --help.")),
      ...unknownVariables.map((text) => warning("environment", text, "Correct the name, or unset the variable.")),
    ];
  } catch (error) {
    const advice = "Correct what the text names; docs/policies.md has every setting.";
    return [bad("configuration", sayWithoutSecrets(sayFailure(error)), advice)];
  }
}

export function examineTokens(path: string, isNamed: boolean): Finding {
  if (!existsSync(path)) {
    if (!isNamed) return good("tokens", "None: only this machine may ask");
    return bad("tokens", `${path} is not there: nobody could ask`, "Run: palimpsest token add --tenant <name>");
  }
  try {
    const tenants = [...new Set(readTokens(path).map(({ tenantId }) => tenantId))];
    const held = `${path}: ${tenants.length === 0 ? "no token" : `for ${tenants.join(", ")}`}`;
    if (isNamed) return good("tokens", held);
    const advice = `It is used by palimpsest serve --tokens ${path}, or where PALIMPSEST_TOKENS names it.`;
    return warning("tokens", `${held}; palimpsest serve does not use it unless it is named`, advice);
  } catch (error) {
    return bad("tokens", sayFailure(error), "Do what the text says; other servers keep the tokens that they have.");
  }
}
