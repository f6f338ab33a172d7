/** The supported providers and their limits, from their documentation and error messages. */
import { PalimpsestError } from "../errors.ts";

/** The names of the providers that prompts can be rendered for. */
export const PROVIDERS = ["openai", "openai-responses", "anthropic", "gemini"] as const;

/** A provider's API for which prompts can be rendered. */
export type Provider = (typeof PROVIDERS)[number];

export function createProviderError(provider: unknown): PalimpsestError {
  const text = `provider: expected one of ${PROVIDERS.join(", ")}, found ${JSON.stringify(provider)}.`;
  return new PalimpsestError("config-invalid", text, { details: { key: "provider", allowed: PROVIDERS } });
}

export interface ProviderLimits {
  readonly toolName: RegExp;
  readonly callId: RegExp;
  readonly imageTypes: ReadonlySet<string>;
  readonly fileTypes: ReadonlySet<string>;
  /** Types that may be sent as a link; "all" for every type of `fileTypes`. */
  readonly linkedFileTypes: ReadonlySet<string> | "all";
  /** Matches this provider's file ids; undefined if they cannot be recognized. */
  readonly fileId: RegExp | undefined;
  readonly takesImageIds: boolean;
  readonly needsFileName: boolean;
}

const COMMON_IMAGES = ["image/png", "image/jpeg", "image/webp"];
const PDF = "application/pdf";

export const PROVIDER_LIMITS: Readonly<Record<Provider, ProviderLimits>> = {
  openai: {
    toolName: /^[a-zA-Z0-9_-]{1,64}$/,
    callId: /^[^\s]{1,40}$/,
    imageTypes: new Set([...COMMON_IMAGES, "image/gif"]),
    fileTypes: new Set([PDF, "audio/wav", "audio/mpeg"]),
    linkedFileTypes: new Set(),
    fileId: /^file-/,
    takesImageIds: false,
    needsFileName: true,
  },
  "openai-responses": {
    toolName: /^[a-zA-Z0-9_-]{1,64}$/,
    callId: /^[^\s]{1,64}$/,
    imageTypes: new Set([...COMMON_IMAGES, "image/gif"]),
    fileTypes: new Set([PDF]),
    linkedFileTypes: "all",
    fileId: /^file-/,
    takesImageIds: true,
    needsFileName: true,
  },
  anthropic: {
    toolName: /^[a-zA-Z0-9_-]{1,128}$/,
    callId: /^[a-zA-Z0-9_-]+$/,
    imageTypes: new Set([...COMMON_IMAGES, "image/gif"]),
    fileTypes: new Set([PDF, "text/plain"]),
    linkedFileTypes: new Set([PDF]),
    fileId: /^file_/,
    takesImageIds: true,
    needsFileName: false,
  },
  gemini: {
    toolName: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/,
    callId: /^[^\s]+$/,
    imageTypes: new Set([...COMMON_IMAGES, "image/heic", "image/heif"]),
    fileTypes: new Set([
      PDF,
      "text/plain",
      ...["wav", "mp3", "mpeg", "aiff", "aac", "ogg", "flac"].map((kind) => `audio/${kind}`),
      ...["mp4", "mpeg", "quicktime", "avi", "x-flv", "mpg", "webm", "wmv", "3gpp"].map((kind) => `video/${kind}`),
    ]),
    linkedFileTypes: "all",
    fileId: undefined,
    takesImageIds: true,
    needsFileName: false,
  },
};
