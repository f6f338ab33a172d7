/** Checks configuration, tokens and models. Never prints a key. */
import { existsSync } from "node:fs";
import { redactForDisplay } from "../../core/summary/secrets/redact-secrets.ts";
import { createPolicySource } from "../../policies/config-sources.ts";
import { readTokens } from "../../server/access/token-file.ts";
import { readEngineSetup } from "../setup/engine-setup.ts";
import type { Invocation } from "../terminal/command.ts";
import { explainError } from "../terminal/terminal-text.ts";
import { badFinding, type Finding, goodFinding, warningFinding } from "./finding.ts";

export async function examineSetup(invocation: Invocation): Promise<readonly Finding[]> {
  try {
    const { configFile, found, unknownVariables } = await readEngineSetup(invocation);
    const { environment } = invocation.terminal;
    const isThere = existsSync(configFile);
    createPolicySource({ path: isThere ? configFile : undefined, environment });
    const names = found.models.map(({ id }) => id);
    return [
      goodFinding("configuration", isThere ? `${configFile} can be used` : `No ${configFile}: the defaults apply`),
      names.length === 0
        ? goodFinding("models", "None configured: the offline model answers. See palimpsest serve --help")
        : goodFinding("models", names.join(", ")),
      ...found.complaints.map((text) =>
        warningFinding("models", redactForDisplay(text), "See palimpsest serve --help."),
      ),
      ...unknownVariables.map((text) =>
        warningFinding("environment", text, "Correct the name, or unset the variable."),
      ),
    ];
  } catch (error) {
    const advice = "Correct the configuration; docs/policies.md lists every setting.";
    return [badFinding("configuration", redactForDisplay(explainError(error)), advice)];
  }
}

export function examineTokens(path: string, isNamed: boolean): Finding {
  if (!existsSync(path)) {
    if (!isNamed) return goodFinding("tokens", "None: only this machine has access");
    return badFinding(
      "tokens",
      `${path} does not exist: no client would have access`,
      "Run: palimpsest token add --tenant <name>",
    );
  }
  try {
    const tenants = [...new Set(readTokens(path).map(({ tenantId }) => tenantId))];
    const held = `${path}: ${tenants.length === 0 ? "no tokens" : `for ${tenants.join(", ")}`}`;
    if (isNamed) return goodFinding("tokens", held);
    const advice = `Use it with palimpsest serve --tokens ${path}, or set PALIMPSEST_TOKENS.`;
    return warningFinding("tokens", `${held}; palimpsest serve does not use it by default`, advice);
  } catch (error) {
    return badFinding(
      "tokens",
      explainError(error),
      "Correct the file; running servers keep the tokens that they have.",
    );
  }
}
