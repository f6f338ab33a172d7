/** The strict rules of the Gemini API. Function responses are a turn of their own, directly after their calls. */
import { type Fields, isObject, pathOf } from "../../check-value.ts";
import { PROVIDER_LIMITS } from "../provider.ts";
import {
  type Complaint,
  defineRule,
  findComplaints,
  findFaults,
  findRepeats,
  isBlank,
  type JsonNode,
  type ProviderRule,
  type RuleViolation,
  takeList,
  takeObject,
  takeObjects,
  takeText,
} from "./complaint.ts";

const LIMITS = PROVIDER_LIMITS.gemini;
const MODEL_PARTS = ["functionCall", "executableCode", "codeExecutionResult"];

interface Turn {
  readonly role: string;
  readonly parts: readonly JsonNode[];
  readonly calls: readonly JsonNode[];
  readonly responses: readonly JsonNode[];
  readonly path: string;
}

interface GeminiPrompt {
  readonly system: readonly JsonNode[];
  readonly turns: readonly Turn[];
  readonly calls: readonly JsonNode[];
  readonly responses: readonly JsonNode[];
}

export const GEMINI_RULES: readonly ProviderRule<GeminiPrompt>[] = [
  defineRule("known-role", "The role must be user or model.", ({ turns }) =>
    findFaults(turns, (turn) => !isKnownTurn(turn) && turn.role !== "system", "role"),
  ),
  defineRule("system-in-place", "System text must be in `systemInstruction`, not in the contents.", ({ turns }) =>
    findFaults(turns, ({ role }) => role === "system", "role"),
  ),
  defineRule("first-user", "The first item of `contents` must be from the user.", ({ turns }) =>
    findFaults(turns.filter(isKnownTurn).slice(0, 1), ({ role }) => role === "model", "role"),
  ),
  defineRule("alternation", "User and model items must alternate.", findRepeatedRoles),
  defineRule("content-present", "An item of `contents` must have parts.", ({ turns }) =>
    findFaults(turns, ({ parts }) => parts.length === 0, "parts"),
  ),
  defineRule("text-not-blank", "A text must not be blank, unless it has a signature.", findBlankTexts),
  defineRule(
    "part-fits-role",
    "Calls and thinking belong in model items, responses in user items.",
    findMisplacedParts,
  ),
  defineRule("result-has-call", "A response must answer a call of the previous item.", findOrphans),
  defineRule("calls-answered", "A call must have its response in the next item.", findOpenCalls),
  defineRule("responses-alone", "An item with responses must have no other parts.", findMixedResponses),
  defineRule("unique-call-ids", "Call ids must be unique.", ({ calls }) =>
    findRepeats(calls, ({ source: { id } }) => (typeof id === "string" ? id : undefined), "id"),
  ),
  defineRule(
    "tool-name",
    "A tool name must begin with a letter or _ and have at most 128 letters, digits, _ . : or -.",
    ({ calls }) => findFaults(calls, ({ source }) => !LIMITS.toolName.test(String(source.name)), "name"),
  ),
  defineRule("input-object", "The arguments must be an object.", ({ calls }) =>
    findFaults(calls, ({ source: { args } }) => args !== undefined && !isObject(args), "args"),
  ),
  defineRule("response-object", "The response must be an object.", ({ responses }) =>
    findFaults(responses, ({ source }) => !isObject(source.response), "response"),
  ),
  defineRule("media-type", "The media type must be one that the provider accepts.", findForeignMedia),
];

export function validateGemini(value: unknown): readonly Complaint[] {
  return findComplaints(value, { read: readPrompt, rules: GEMINI_RULES });
}

function readPrompt(value: unknown): GeminiPrompt {
  const system = isObject(value) ? value.systemInstruction : undefined;
  const turns = takeList(value, "contents").map(readTurn);
  return {
    system: isObject(system) ? readParts({ source: system, path: "systemInstruction" }) : [],
    turns,
    calls: turns.flatMap(({ calls }) => calls),
    responses: turns.flatMap(({ responses }) => responses),
  };
}

function readTurn(placed: JsonNode): Turn {
  const role = placed.source.role === undefined ? "user" : takeText(placed, "role");
  const parts = readParts(placed);
  const take = (key: string) =>
    parts.filter(({ source }) => source[key] !== undefined).map((part) => takeObject(part, key));
  return { role, parts, calls: take("functionCall"), responses: take("functionResponse"), path: placed.path };
}

function readParts({ source, path }: JsonNode): readonly JsonNode[] {
  if (source.parts === undefined) return [];
  const parts = takeObjects(source.parts, pathOf(path, "parts"));
  for (const part of parts) {
    if (part.source.functionCall !== undefined) takeText(takeObject(part, "functionCall"), "name");
    if (part.source.functionResponse !== undefined) takeText(takeObject(part, "functionResponse"), "name");
    if (part.source.text !== undefined) takeText(part, "text");
  }
  return parts;
}

function isKnownTurn({ role }: Turn): boolean {
  return role === "user" || role === "model";
}

function kindOf(turn: Turn | undefined): string | undefined {
  return turn?.role === "user" && turn.responses.length > 0 ? "function response" : turn?.role;
}

function findRepeatedRoles({ turns }: GeminiPrompt): readonly RuleViolation[] {
  return findFaults(turns.filter(isKnownTurn), (turn, index, spoken) => {
    return kindOf(spoken[index - 1]) === kindOf(turn) && `Found two ${kindOf(turn)} items in a row.`;
  });
}

function findBlankTexts({ turns, system }: GeminiPrompt): readonly RuleViolation[] {
  return findFaults([...system, ...turns.flatMap(({ parts }) => parts)], ({ source }) => {
    return source.text !== undefined && isBlank(source.text) && source.thoughtSignature === undefined;
  });
}

function findMisplacedParts({ turns }: GeminiPrompt): readonly RuleViolation[] {
  return turns.flatMap(({ role, parts }) =>
    findFaults(parts, ({ source }) => {
      if (role === "model") return source.functionResponse !== undefined;
      return source.thought === true || MODEL_PARTS.some((key) => source[key] !== undefined);
    }),
  );
}

/** Pairs responses with calls, by id if both have one, or else by name. Returns the unpaired calls and responses. */
function matchTurns(asking: Turn | undefined, answering: Turn | undefined) {
  const open = asking?.role === "model" ? [...asking.calls] : [];
  const loose = (answering?.responses ?? []).filter(({ source }) => {
    const index = open.findIndex((call) => isAnswer(source, call.source));
    if (index >= 0) open.splice(index, 1);
    return index < 0;
  });
  return { open, loose };
}

function isAnswer(response: Fields, call: Fields): boolean {
  if (response.name !== call.name) return false;
  return response.id === undefined || call.id === undefined || response.id === call.id;
}

function findOrphans({ turns }: GeminiPrompt): readonly RuleViolation[] {
  return turns.flatMap((turn, index) => {
    return turn.role === "user" ? findFaults(matchTurns(turns[index - 1], turn).loose, () => true) : [];
  });
}

function findOpenCalls({ turns }: GeminiPrompt): readonly RuleViolation[] {
  return turns.flatMap((turn, index) => {
    const next = turns[index + 1];
    const { open } = matchTurns(turn, next?.role === "user" ? next : undefined);
    return findFaults(open, ({ source }) => `Found no response for ${String(source.name)}.`);
  });
}

function findMixedResponses({ turns }: GeminiPrompt): readonly RuleViolation[] {
  const answering = turns.filter((turn) => turn.role === "user" && turn.responses.length > 0);
  return answering.flatMap(({ parts }) => findFaults(parts, ({ source }) => source.functionResponse === undefined));
}

function findForeignMedia({ turns, responses }: GeminiPrompt): readonly RuleViolation[] {
  const inner = responses.flatMap(({ source, path }) => {
    return source.parts === undefined ? [] : takeObjects(source.parts, pathOf(path, "parts"));
  });
  return findFaults([...turns.flatMap(({ parts }) => parts), ...inner], ({ source }) => {
    if (!isObject(source.inlineData)) return false;
    const mediaType = String(source.inlineData.mimeType);
    return !LIMITS.imageTypes.has(mediaType) && !LIMITS.fileTypes.has(mediaType) && `Found ${mediaType}.`;
  });
}
