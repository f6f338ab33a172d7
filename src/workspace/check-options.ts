/** Checks the options of a workspace; an error names the key and the allowed values. */
import {
  COUNT,
  checkOptions,
  FLAG,
  FUNCTION,
  ID,
  type OptionRules,
  RECORD,
  required,
  TOKENS,
} from "../core/check-options.ts";

const LINK_RULES: OptionRules = {
  timeoutMs: COUNT,
  mostBytes: COUNT,
  mostRedirects: TOKENS,
  allowsPrivate: {
    allowed: "true, false or a list of addresses",
    holds: (value) =>
      typeof value === "boolean" || (Array.isArray(value) && value.every((each) => typeof each === "string")),
  },
  resolveName: FUNCTION,
};

const RULES: OptionRules = {
  root: required({ ...ID, allowed: "the path of a folder" }),
  mostBytes: COUNT,
  mostFiles: COUNT,
  outlines: FLAG,
  links: {
    allowed: "false or an object of limits",
    holds: (value) => value === false || RECORD.holds(value),
    check: (value, { path }) => {
      if (value !== false) checkOptions(value, LINK_RULES, path);
    },
  },
};

export function checkWorkspaceOptions(options: unknown): void {
  checkOptions(options, RULES, "workspace");
}
