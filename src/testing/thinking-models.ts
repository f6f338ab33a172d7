/**
 * Claude's rules for thinking that is sent back, by model name. They are written from Anthropic's documentation, not
 * from the engine's catalogue, so that a test compares two sources. Unknown models check the prefix.
 */

/** How a model treats thinking that is sent back. */
export interface ThinkingModel {
  /** Whether a block is refused when anything before it differs from the request that produced it. */
  readonly checksPrefix: boolean;
  /** Whether the model can use a block that another model produced. A block it cannot read is dropped. */
  reads(producer: string): boolean;
}

/** Families with models that do not check the prefix of thinking, up to this version. */
const LAST_WITHOUT_CHECK: Readonly<Record<string, number>> = { fable: 5, mythos: 5, opus: 5, sonnet: 5, haiku: 5 };

/** Models that read more than their own blocks. */
const ALSO_READS: Readonly<Record<string, readonly string[]>> = { "fable-5.1": ["opus-5", "opus-5.5"] };

/** Models whose blocks every other model reads. */
const READ_BY_ALL: readonly string[] = ["haiku-5.5"];

/**
 * Returns the rules of Claude for thinking that is sent back to a model.
 *
 * @example
 * ```ts
 * console.log(describeThinkingModel("claude-opus-5-5").checksPrefix);
 * ```
 */
export function describeThinkingModel(model: string): ThinkingModel {
  const own = parseModel(model);
  return {
    checksPrefix: own.version > (LAST_WITHOUT_CHECK[own.family] ?? 0),
    reads(producer) {
      const { name } = parseModel(producer);
      return name === own.name || READ_BY_ALL.includes(name) || (ALSO_READS[own.name]?.includes(name) ?? false);
    },
  };
}

interface ParsedModel {
  readonly family: string;
  readonly version: number;
  /** Family and version without vendor, date or region. */
  readonly name: string;
}

/** Reads `claude-opus-5-5-20260901`, `anthropic/claude-opus-5.5` and `claude-3-5-haiku-20241022` alike. */
function parseModel(model: string): ParsedModel {
  const modern = /claude-([a-z]+)-(\d{1,2})(?:[-.](\d{1,2})(?!\d))?/.exec(model);
  if (modern !== null) return parsed(modern[1], modern[2], modern[3]);
  const early = /claude-(\d)(?:[-.](\d))?-([a-z]+)/.exec(model);
  if (early !== null) return parsed(early[3], early[1], early[2]);
  const preview = /claude-([a-z]+)-preview/.exec(model);
  if (preview !== null) return parsed(preview[1], "1");
  return { family: model, version: Number.POSITIVE_INFINITY, name: model };
}

function parsed(family = "", major = "0", minor?: string): ParsedModel {
  const version = Number(minor === undefined ? major : `${major}.${minor}`);
  return { family, version, name: `${family}-${version}` };
}
