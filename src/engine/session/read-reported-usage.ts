/** Reads reported usage in any known format, so that `inputTokens` counts the whole prompt. */
import { invalidOption } from "../../core/check-options.ts";
import { unknownOption } from "../../core/check-value.ts";
import { listWords } from "../../core/language/list-words.ts";
import type { Usage } from "../../core/log/entry.ts";

interface UsageShape {
  readonly from: string;
  readonly marks: readonly string[];
  /** Paths of figures, such as `prompt_tokens_details.cached_tokens`, in order of preference; those of `output` are added up. */
  readonly input: readonly string[];
  readonly output: readonly string[];
  readonly cacheRead: readonly string[];
  readonly cacheWrite: readonly string[];
  /** Whether the input figure excludes cached tokens. */
  readonly inputIsUncached?: boolean;
  /** Allowed keys. Without this list every key is allowed, because providers add new ones. */
  readonly keys?: readonly string[];
}

const AI_SDK_4: readonly string[] = ["promptTokens", "completionTokens"];

/** The first match is used, so formats with rarer keys come first. */
const SHAPES: readonly UsageShape[] = [
  {
    from: "Amazon Bedrock",
    marks: ["cacheReadInputTokens", "cacheWriteInputTokens"],
    input: ["inputTokens"],
    output: ["outputTokens"],
    cacheRead: ["cacheReadInputTokens"],
    cacheWrite: ["cacheWriteInputTokens"],
    inputIsUncached: true,
  },
  {
    from: "Palimpsest, AI SDK 5 to 7",
    marks: ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "inputTokenDetails"],
    input: ["inputTokens", "inputTokens.total"],
    output: ["outputTokens", "outputTokens.total"],
    cacheRead: ["cacheReadTokens", "inputTokenDetails.cacheReadTokens", "cachedInputTokens", "inputTokens.cacheRead"],
    cacheWrite: ["cacheWriteTokens", "inputTokenDetails.cacheWriteTokens", "inputTokens.cacheWrite"],
    keys: listWords(`
      model inputTokens outputTokens cacheReadTokens cacheWriteTokens inputTokenDetails outputTokenDetails
      totalTokens reasoningTokens cachedInputTokens raw`),
  },
  {
    from: "AI SDK 4",
    marks: AI_SDK_4,
    input: ["promptTokens"],
    output: ["completionTokens"],
    cacheRead: [],
    cacheWrite: [],
  },
  {
    from: "OpenAI chat completions, DeepSeek, OpenRouter and others like them",
    marks: ["prompt_tokens", "completion_tokens"],
    input: ["prompt_tokens"],
    output: ["completion_tokens"],
    cacheRead: ["prompt_tokens_details.cached_tokens", "prompt_cache_hit_tokens"],
    cacheWrite: ["prompt_tokens_details.cache_write_tokens"],
  },
  {
    from: "Anthropic",
    marks: ["cache_read_input_tokens", "cache_creation_input_tokens"],
    input: ["input_tokens"],
    output: ["output_tokens"],
    cacheRead: ["cache_read_input_tokens"],
    cacheWrite: ["cache_creation_input_tokens"],
    inputIsUncached: true,
  },
  {
    from: "OpenAI responses, LangChain",
    marks: ["input_tokens", "output_tokens"],
    input: ["input_tokens"],
    output: ["output_tokens"],
    cacheRead: ["input_tokens_details.cached_tokens", "input_token_details.cache_read"],
    cacheWrite: ["input_tokens_details.cache_write_tokens", "input_token_details.cache_creation"],
  },
  {
    from: "Gemini",
    marks: ["promptTokenCount", "candidatesTokenCount", "totalTokenCount"],
    input: ["promptTokenCount"],
    output: ["candidatesTokenCount", "thoughtsTokenCount"],
    cacheRead: ["cachedContentTokenCount"],
    cacheWrite: [],
  },
];

/** Returns undefined if nothing was reported. `place` names the option in errors. */
export function readReportedUsage(usage: object | undefined, place: string): Usage | undefined {
  if (usage === undefined || Object.keys(usage).length === 0) return undefined;
  const shape = SHAPES.find(({ marks }) => marks.some((mark) => Object.hasOwn(usage, mark)));
  if (shape === undefined) throw unknownOption(place, Object.keys(usage)[0] ?? "", MARKS, "field");
  for (const key of Object.keys(usage)) {
    if (shape.keys?.includes(key) === false) throw unknownOption(place, key, shape.keys, "field");
  }
  const read = (paths: readonly string[]) => paths.map((path) => readFigure(usage, path, place));
  const cacheReadTokens = findFirstFigure(read(shape.cacheRead));
  const cacheWriteTokens = findFirstFigure(read(shape.cacheWrite));
  const input = findFirstFigure(read(shape.input));
  const cached = shape.inputIsUncached === true ? (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0) : 0;
  return {
    ...modelOf(usage),
    inputTokens: input === undefined ? undefined : input + cached,
    outputTokens: sumFigures(read(shape.output)),
    cacheReadTokens,
    cacheWriteTokens,
  };
}

const MARKS: readonly string[] = [...new Set(SHAPES.flatMap(({ marks }) => marks))];

function modelOf(usage: object): Pick<Usage, "model"> {
  return "model" in usage && typeof usage.model === "string" ? { model: usage.model } : {};
}

/** More tokens than any call or loop of calls uses. */
const MAX_TOKENS = 1_000_000_000;

/** Returns undefined for a missing figure. Throws for an impossible one, because cost and calibration depend on it. */
function readFigure(usage: object, path: string, place: string): number | undefined {
  let value: unknown = usage;
  for (const key of path.split(".")) {
    if (typeof value !== "object" || value === null) return undefined;
    value = Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
  }
  // The AI SDK 4 uses NaN for figures that a provider did not report.
  if (Number.isNaN(value) && AI_SDK_4.includes(path)) return undefined;
  if (typeof value === "number" && value >= 0 && value <= MAX_TOKENS) return value;
  // The AI SDK's providers report an object of figures where its callers get a number.
  if (value === undefined || value === null || typeof value === "object") return undefined;
  throw invalidOption(`${place}.${path}`, value, `a number of tokens from 0 to ${MAX_TOKENS.toLocaleString("en")}`);
}

function findFirstFigure(figures: readonly (number | undefined)[]): number | undefined {
  return figures.find((figure) => figure !== undefined);
}

function sumFigures(figures: readonly (number | undefined)[]): number | undefined {
  const known = figures.filter((figure) => figure !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, figure) => sum + figure, 0);
}
