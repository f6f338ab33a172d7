/**
 * Counts images and documents by the rules of the provider's model family. The rules come from the providers'
 * documentation, checked against measured requests. An image or file of unknown size counts as 1,000 tokens.
 *
 * Base64 is never counted as text: an image of 200 kB is a few hundred tokens, not a hundred thousand.
 */
import type { Extras, FilePart, ImagePart, MediaSource } from "../message/message.ts";
import { estimatePdfPages, type ImageSize, readImageSize } from "./media-size.ts";

export const UNKNOWN_MEDIA_TOKENS = 1_000;

export type ImageRule =
  /** Scaled into a square of 2,048 pixels, then to a short side of 768, and cut into tiles of 512. */
  | { readonly type: "tiles"; readonly baseTokens: number; readonly tileTokens: number }
  /** Covered by square patches; larger images are scaled down until the long edge and the patches fit. */
  | {
      readonly type: "patches";
      readonly patchPixels: number;
      readonly maximumPatches: number;
      /** The maximum if the request asks for `high` detail explicitly. */
      readonly highDetailPatches: number;
      readonly longEdgePixels: number;
      readonly tokensPerPatch: number;
    }
  /** Scaled into a square of 3,072 pixels and cut into tiles of at most 768. */
  | { readonly type: "crops"; readonly tileTokens: number }
  | { readonly type: "flat"; readonly tokens: number };

export interface MediaRules {
  readonly image: ImageRule;
  readonly pdfPageTokens: number;
}

export const MEDIA_RULES = {
  /** GPT-4o, 4.1, 4.5, o1, o3 and GPT-5; the last two charge up to a fifth less. */
  "openai-tiles": { image: { type: "tiles", baseTokens: 85, tileTokens: 170 }, pdfPageTokens: 1_500 },
  "openai-mini": { image: openaiPatches({ maximumPatches: 1_536, tokensPerPatch: 1.72 }), pdfPageTokens: 2_000 },
  "openai-nano": { image: openaiPatches({ maximumPatches: 1_536, tokensPerPatch: 2.46 }), pdfPageTokens: 2_500 },
  /** GPT-5.2 and later, at their default detail: a photograph of 12 megapixels is 14,000 tokens. */
  "openai-patches": { image: openaiPatches({ maximumPatches: 12_000, tokensPerPatch: 1.2 }), pdfPageTokens: 3_000 },
  claude: { image: claudePatches({ maximumPatches: 1_568, longEdgePixels: 1_568 }), pdfPageTokens: 3_000 },
  "claude-large": { image: claudePatches({ maximumPatches: 4_784, longEdgePixels: 2_576 }), pdfPageTokens: 3_200 },
  "gemini-2": { image: { type: "crops", tileTokens: 258 }, pdfPageTokens: 258 },
  "gemini-3": { image: { type: "flat", tokens: 1_120 }, pdfPageTokens: 560 },
  /** Unknown model: the more expensive of the common rules, because a prompt that is counted too low gets refused. */
  unknown: { image: claudePatches({ maximumPatches: 4_784, longEdgePixels: 2_576 }), pdfPageTokens: 3_000 },
} as const satisfies Record<string, MediaRules>;

export type MediaFamily = keyof typeof MEDIA_RULES;

export function countImage(image: ImagePart, rules: MediaRules): number {
  const size = readStatedSize(image) ?? readSize(image.source);
  return countBySize(size, { rule: rules.image, detail: readDetail(image.extras) });
}

/** Ignores impossible sizes, such as 0 or NaN. */
function readStatedSize({ widthPixels = 0, heightPixels = 0 }: ImagePart): ImageSize | undefined {
  return widthPixels >= 1 && heightPixels >= 1 ? { widthPixels, heightPixels } : undefined;
}

/** Counts a file that is not text: an image by its size, a PDF by its pages, anything else at a flat rate. */
export function countFileTokens(file: FilePart, rules: MediaRules): number {
  if (file.mediaType.startsWith("image/")) {
    return countBySize(readSize(file.source), { rule: rules.image, detail: readDetail(file.extras) });
  }
  const base64 = findInlineBase64(file.source);
  if (file.mediaType !== "application/pdf" || base64 === undefined) return UNKNOWN_MEDIA_TOKENS;
  return estimatePdfPages(base64) * rules.pdfPageTokens;
}

/** Returns the base64 of a source with data or a `data:` URL. */
export function findInlineBase64(source: MediaSource): string | undefined {
  if (source.type === "data") return source.base64;
  if (source.type !== "url" || !source.url.startsWith("data:")) return undefined;
  const comma = source.url.indexOf(";base64,");
  return comma === -1 ? undefined : source.url.slice(comma + ";base64,".length);
}

function readSize(source: MediaSource): ImageSize | undefined {
  const base64 = findInlineBase64(source);
  return base64 === undefined ? undefined : readImageSize(base64);
}

type Detail = "low" | "high" | "auto";

function countBySize(size: ImageSize | undefined, how: { readonly rule: ImageRule; readonly detail: Detail }): number {
  const { rule, detail } = how;
  switch (rule.type) {
    case "flat":
      return rule.tokens;
    case "tiles":
      if (detail === "low") return rule.baseTokens;
      return size === undefined ? UNKNOWN_MEDIA_TOKENS : rule.baseTokens + rule.tileTokens * countTiles(size);
    case "patches": {
      if (size === undefined) return UNKNOWN_MEDIA_TOKENS;
      const most = detail === "high" ? rule.highDetailPatches : rule.maximumPatches;
      return Math.ceil(Math.min(most, countPatches(size, rule)) * rule.tokensPerPatch);
    }
    case "crops":
      return size === undefined ? UNKNOWN_MEDIA_TOKENS : rule.tileTokens * countCrops(size);
    default:
      return rule satisfies never;
  }
}

function countTiles({ widthPixels, heightPixels }: ImageSize): number {
  const inside = Math.min(1, 2_048 / Math.max(widthPixels, heightPixels));
  const scale = inside * Math.min(1, 768 / (Math.min(widthPixels, heightPixels) * inside));
  return Math.ceil((widthPixels * scale) / 512) * Math.ceil((heightPixels * scale) / 512);
}

function countPatches(size: ImageSize, rule: Extract<ImageRule, { type: "patches" }>): number {
  const scale = Math.min(1, rule.longEdgePixels / Math.max(size.widthPixels, size.heightPixels));
  const patches = (pixels: number) => Math.ceil((pixels * scale) / rule.patchPixels);
  return patches(size.widthPixels) * patches(size.heightPixels);
}

function countCrops({ widthPixels, heightPixels }: ImageSize): number {
  const scale = Math.min(1, 3_072 / Math.max(widthPixels, heightPixels));
  return Math.ceil((widthPixels * scale) / 768) * Math.ceil((heightPixels * scale) / 768);
}

/** The AI SDK calls it `imageDetail`, OpenAI's API `detail`. */
function readDetail(extras: Extras | undefined): Detail {
  for (const said of Object.values(extras ?? {})) {
    const detail = said.imageDetail ?? said.detail;
    if (detail === "low" || detail === "high") return detail;
  }
  return "auto";
}

function openaiPatches(rule: { readonly maximumPatches: number; readonly tokensPerPatch: number }) {
  const limits = { longEdgePixels: Number.POSITIVE_INFINITY, highDetailPatches: Math.min(rule.maximumPatches, 2_500) };
  return { type: "patches", patchPixels: 32, ...limits, ...rule } as const;
}

function claudePatches(rule: { readonly maximumPatches: number; readonly longEdgePixels: number }) {
  return {
    type: "patches",
    patchPixels: 28,
    tokensPerPatch: 1,
    highDetailPatches: rule.maximumPatches,
    ...rule,
  } as const;
}
