/** The strict rules of the Gemini API. Function responses are a turn of their own, directly after their calls. */
import { type Fields, isObject, pathOf } from "../../check-value.ts";
import { PROVIDER_LIMITS } from "../provider.ts";
import { type Complaint, complain, type Fault, findRepeats, isBlank, malformed, type Rule } from "./complaint.ts";
import { MalformedValue, type Placed, takeList, takeObject, takeObjects, takeText } from "./wire-value.ts";

const LIMITS = PROVIDER_LIMITS.gemini;

interface Turn {
  readonly role: string;
  readonly parts: readonly Placed[];
  readonly path: string;
}

interface GeminiPrompt {
  readonly system: readonly Placed[];
  readonly turns: readonly Turn[];
}

export const GEMINI_RULES: readonly Rule<GeminiPrompt>[] = [
  { name: "known-role", says: "A role is user or model.", find: findUnknownRoles },
  { name: "system-in-place", says: "System text is beside the contents, not one of them.", find: findSystemTurns },
  { name: "first-user", says: "The first content is the user's.", find: findWrongStart },
  { name: "alternation", says: "User, model and function responses take turns.", find: findRepeatedRoles },
  { name: "content-present", says: "A content has parts.", find: findEmpty },
  { name: "text-not-blank", says: "A text has more than white space, or it is signed.", find: findBlankTexts },
  {
    name: "part-fits-role",
    says: "Calls and thoughts are the model's, responses the user's.",
    find: findMisplacedParts,
  },
  { name: "result-has-call", says: "A response answers a call of the content directly before.", find: findOrphans },
  { name: "calls-answered", says: "There are as many responses in the next content as calls.", find: findOpenCalls },
  { name: "responses-alone", says: "A content with function responses holds nothing else.", find: findMixedResponses },
  { name: "unique-call-ids", says: "No two calls share an id.", find: findRepeatedCalls },
  {
    name: "tool-name",
    says: "A tool's name begins with a letter or _ and has letters, digits, _ . : -, at most 128.",
    find: findOddNames,
  },
  {
    name: "input-object",
    says: "Arguments are an object.",
    find: (prompt) => findNoObjects(prompt, { key: "functionCall", field: "args" }),
  },
  {
    name: "response-object",
    says: "A response is an object.",
    find: (prompt) => findNoObjects(prompt, { key: "functionResponse", field: "response" }),
  },
  { name: "media-type", says: "Data are of a type that is accepted.", find: findForeignMedia },
];

export function validateGemini(value: unknown): readonly Complaint[] {
  try {
    return complain(readGemini(value), GEMINI_RULES);
  } catch (error) {
    if (error instanceof MalformedValue) return [malformed(error.fault)];
    throw error;
  }
}

function readGemini(value: unknown): GeminiPrompt {
  const request: Fields = isObject(value) ? value : {};
  const system = request.systemInstruction;
  return {
    system: isObject(system) ? readParts({ source: system, path: "systemInstruction" }) : [],
    turns: takeList(value, "contents").map(readTurn),
  };
}

function readTurn(placed: Placed): Turn {
  const role = placed.source.role === undefined ? "user" : takeText(placed, "role");
  return { role, parts: readParts(placed), path: placed.path };
}

function readParts({ source, path }: Placed): readonly Placed[] {
  if (source.parts === undefined) return [];
  const parts = takeObjects(source.parts, pathOf(path, "parts"));
  for (const part of parts) {
    if (part.source.functionCall !== undefined) takeText(takeObject(part, "functionCall"), "name");
    if (part.source.functionResponse !== undefined) takeText(takeObject(part, "functionResponse"), "name");
    if (part.source.text !== undefined) takeText(part, "text");
  }
  return parts;
}

/** Returns the calls or responses of a content with their paths. */
function innerOf(turn: Turn | undefined, key: "functionCall" | "functionResponse"): readonly Placed[] {
  return turn?.parts.flatMap((part) => (part.source[key] === undefined ? [] : [takeObject(part, key)])) ?? [];
}

function findUnknownRoles({ turns }: GeminiPrompt): readonly Fault[] {
  return turns.flatMap(({ role, path }) =>
    role === "user" || role === "model" || role === "system" ? [] : [{ path: pathOf(path, "role") }],
  );
}

function findSystemTurns({ turns }: GeminiPrompt): readonly Fault[] {
  return turns.flatMap(({ role, path }) => (role === "system" ? [{ path: pathOf(path, "role") }] : []));
}

function spoken({ turns }: GeminiPrompt): readonly Turn[] {
  return turns.filter(({ role }) => role === "user" || role === "model");
}

function findWrongStart(prompt: GeminiPrompt): readonly Fault[] {
  const [first] = spoken(prompt);
  return first?.role === "model" ? [{ path: pathOf(first.path, "role") }] : [];
}

function kindOf(turn: Turn | undefined): string | undefined {
  return turn?.role === "user" && innerOf(turn, "functionResponse").length > 0 ? "function response" : turn?.role;
}

function findRepeatedRoles(prompt: GeminiPrompt): readonly Fault[] {
  return spoken(prompt).flatMap((turn, index, turns) =>
    kindOf(turns[index - 1]) === kindOf(turn) ? [{ path: turn.path, detail: `Two ${kindOf(turn)} contents.` }] : [],
  );
}

function findEmpty({ turns }: GeminiPrompt): readonly Fault[] {
  return turns.flatMap(({ parts, path }) => (parts.length === 0 ? [{ path: pathOf(path, "parts") }] : []));
}

function findBlankTexts({ turns, system }: GeminiPrompt): readonly Fault[] {
  return [...system, ...turns.flatMap((turn) => turn.parts)].flatMap(({ source, path }) =>
    typeof source.text === "string" && isBlank(source.text) && source.thoughtSignature === undefined ? [{ path }] : [],
  );
}

const MODEL_PARTS = ["functionCall", "executableCode", "codeExecutionResult"];

function findMisplacedParts({ turns }: GeminiPrompt): readonly Fault[] {
  return turns.flatMap(({ role, parts }) =>
    parts.flatMap(({ source, path }) => {
      const models = source.thought === true || MODEL_PARTS.some((key) => source[key] !== undefined);
      const misplaced = role === "model" ? source.functionResponse !== undefined : models;
      return misplaced ? [{ path }] : [];
    }),
  );
}

/** Pairs responses with calls, by id if both have one, or else by name. Returns what is left on each side. */
function matchTurns(
  asking: Turn | undefined,
  answering: Turn | undefined,
): { open: readonly Placed[]; loose: readonly Placed[] } {
  const open = [...(asking?.role === "model" ? innerOf(asking, "functionCall") : [])];
  const loose = innerOf(answering, "functionResponse").filter(({ source }) => {
    const index = open.findIndex((call) => answers(source, call.source));
    if (index >= 0) open.splice(index, 1);
    return index < 0;
  });
  return { open, loose };
}

function answers(response: Fields, call: Fields): boolean {
  if (response.name !== call.name) return false;
  return response.id === undefined || call.id === undefined || response.id === call.id;
}

function findOrphans({ turns }: GeminiPrompt): readonly Fault[] {
  return turns.flatMap((turn, index) =>
    turn.role === "user" ? matchTurns(turns[index - 1], turn).loose.map(({ path }) => ({ path })) : [],
  );
}

function findOpenCalls({ turns }: GeminiPrompt): readonly Fault[] {
  return turns.flatMap((turn, index) => {
    const next = turns[index + 1];
    return matchTurns(turn, next?.role === "user" ? next : undefined).open.map(({ path, source }) => ({
      path,
      detail: `Nothing answers ${String(source.name)}.`,
    }));
  });
}

function findMixedResponses({ turns }: GeminiPrompt): readonly Fault[] {
  return turns.flatMap((turn) => {
    if (turn.role !== "user" || kindOf(turn) === "user") return [];
    return turn.parts.flatMap(({ source, path }) => (source.functionResponse === undefined ? [{ path }] : []));
  });
}

function findRepeatedCalls({ turns }: GeminiPrompt): readonly Fault[] {
  return findRepeats(
    turns.flatMap((turn) => innerOf(turn, "functionCall")),
    {
      key: ({ source }) => (typeof source.id === "string" ? source.id : undefined),
      path: ({ path }) => pathOf(path, "id"),
    },
  );
}

function findOddNames({ turns }: GeminiPrompt): readonly Fault[] {
  return turns.flatMap((turn) =>
    innerOf(turn, "functionCall").flatMap(({ source, path }) =>
      LIMITS.toolName.test(String(source.name)) ? [] : [{ path: pathOf(path, "name") }],
    ),
  );
}

function findNoObjects(
  { turns }: GeminiPrompt,
  { key, field }: { readonly key: "functionCall" | "functionResponse"; readonly field: "args" | "response" },
): readonly Fault[] {
  return turns.flatMap((turn) =>
    innerOf(turn, key).flatMap(({ source, path }) => {
      const absent = source[field] === undefined && field === "args";
      return absent || isObject(source[field]) ? [] : [{ path: pathOf(path, field) }];
    }),
  );
}

function findForeignMedia({ turns }: GeminiPrompt): readonly Fault[] {
  const inner = turns.flatMap((turn) => innerOf(turn, "functionResponse")).flatMap(responseParts);
  return [...turns.flatMap((turn) => turn.parts), ...inner].flatMap(({ source, path }) => {
    if (!isObject(source.inlineData)) return [];
    const mediaType = String(source.inlineData.mimeType);
    return LIMITS.imageTypes.has(mediaType) || LIMITS.fileTypes.has(mediaType)
      ? []
      : [{ path, detail: `It is ${mediaType}.` }];
  });
}

function responseParts({ source, path }: Placed): readonly Placed[] {
  return source.parts === undefined ? [] : takeObjects(source.parts, pathOf(path, "parts"));
}
