/** The options of a workspace, checked where they come in: the message names the key and what it takes. */
import { PalimpsestError, unknownOption } from "../core/errors.ts";

interface OptionRule {
  readonly allowed: string;
  readonly holds: (value: unknown) => boolean;
}

const COUNT: OptionRule = {
  allowed: "a whole number above 0",
  holds: (value) => Number.isSafeInteger(value) && Number(value) > 0,
};
const FLAG: OptionRule = { allowed: "true or false", holds: (value) => typeof value === "boolean" };

const LINK_RULES: Readonly<Record<string, OptionRule>> = {
  timeoutMs: COUNT,
  mostBytes: COUNT,
  mostRedirects: { allowed: "a whole number", holds: (value) => Number.isSafeInteger(value) && Number(value) >= 0 },
  allowsPrivate: {
    allowed: "true, false or a list of addresses",
    holds: (value) =>
      typeof value === "boolean" || (Array.isArray(value) && value.every((each) => typeof each === "string")),
  },
  resolveName: { allowed: "a function", holds: (value) => typeof value === "function" },
};

const RULES: Readonly<Record<string, OptionRule>> = {
  root: { allowed: "the path of a folder", holds: (value) => typeof value === "string" && value !== "" },
  mostBytes: COUNT,
  mostFiles: COUNT,
  outlines: FLAG,
  links: { allowed: "false or an object of limits", holds: (value) => value === false || isObject(value) },
};

export function checkWorkspaceOptions(options: object): void {
  check("workspace", { options: { root: undefined, ...options }, rules: RULES, required: ["root"] });
  const links = "links" in options ? options.links : undefined;
  if (isObject(links)) check("workspace.links", { options: links, rules: LINK_RULES, required: [] });
}

function check(
  name: string,
  {
    options,
    rules,
    required,
  }: {
    readonly options: object;
    readonly rules: Readonly<Record<string, OptionRule>>;
    readonly required: readonly string[];
  },
): void {
  for (const [key, value] of Object.entries(options)) {
    const rule = Object.hasOwn(rules, key) ? rules[key] : undefined;
    if (rule === undefined) throw unknownOption(name, key, Object.keys(rules));
    if (value === undefined && !required.includes(key)) continue;
    if (!rule.holds(value)) throw invalid(`${name}.${key}`, value, rule.allowed);
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function invalid(key: string, value: unknown, allowed: string): PalimpsestError {
  const found = typeof value === "string" || typeof value === "number" ? JSON.stringify(value) : typeof value;
  return new PalimpsestError("config-invalid", `${key}: expected ${allowed}, found ${found}.`, {
    details: { key, allowed },
  });
}
