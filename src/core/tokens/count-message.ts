/** Counts a message as the model will see it, without the learned factor, which is applied to sums of sections. */
import { readMediaOutput } from "../message/media-output.ts";
import type { FilePart, Message, Part, ReasoningPart, ToolOutput } from "../message/message.ts";
import { outputText } from "../message/message-text.ts";
import { countTextInSteps, runSteps } from "./count-text.ts";
import type { Counter } from "./counter.ts";
import { decodeTextPieces } from "./media-size.ts";
import { countFileTokens, countImage, findInlineBase64, MEDIA_RULES, type MediaFamily } from "./media-tokens.ts";
import { type EmbeddedMedia, separateMedia } from "./separate-media.ts";

export type CountSteps = Generator<undefined, number>;

export function countMessage(message: Message, counter: Counter, media: MediaFamily = "unknown"): number {
  return runSteps(countMessageInSteps(message, counter, media));
}

/** Counts like `countMessage`, and yields after each part and inside long ones. */
export function* countMessageInSteps(message: Message, counter: Counter, media: MediaFamily = "unknown"): CountSteps {
  const how: CountMethod = { counter, media };
  let tokens = counter.messageOverheadTokens;
  if (message.name !== undefined) tokens += yield* count(message.name, how);
  for (const part of message.parts) {
    tokens += yield* countPartInSteps(part, how);
    yield undefined;
  }
  return tokens;
}

/** Counts one part. A message is the sum of its parts, its name and the counter's overhead. */
export function countPart(part: Part, counter: Counter, media: MediaFamily = "unknown"): number {
  return runSteps(countPartInSteps(part, { counter, media }));
}

/** Counts a value of unknown shape: its JSON without media, and the media by their rules. */
export function* countUnknown(value: unknown, how: CountMethod): CountSteps {
  const separated = separateMedia(value);
  let tokens = yield* count(separated.text, how);
  for (const media of separated.media) tokens += yield* countFile(asFile(media), how);
  return tokens;
}

export interface CountMethod {
  readonly counter: Counter;
  readonly media: MediaFamily;
}

/** Tokens that providers add around a tool call or result besides its names and values. */
const TOOL_STRUCTURE_TOKENS = 4;

export function* countPartInSteps(part: Part, how: CountMethod): CountSteps {
  switch (part.type) {
    case "text":
      return yield* countTextInSteps(part.text, how.counter);
    case "reasoning":
      return yield* countReasoning(part, how);
    case "tool-call":
      return (
        TOOL_STRUCTURE_TOKENS + (yield* count(`${part.tool} ${part.inputText ?? JSON.stringify(part.input)}`, how))
      );
    case "tool-result":
      return TOOL_STRUCTURE_TOKENS + (yield* countOutput(part.output, how));
    case "image":
      return countImage(part, MEDIA_RULES[how.media]);
    case "file":
      return yield* countFile(part, how);
    case "source":
      return yield* count([part.title, part.url, part.name].filter((said) => said !== undefined).join(" "), how);
    case "unknown":
      return yield* countUnknown(part.value, how);
    default:
      return yield* countUnknown(part satisfies never, how);
  }
}

function* countOutput(given: ToolOutput, how: CountMethod): CountSteps {
  const output = readMediaOutput(given);
  if (output.type !== "parts") return yield* count(outputText(output), how);
  let tokens = 0;
  for (const part of output.parts) tokens += yield* countPartInSteps(part, how);
  return tokens;
}

/** Estimates encrypted reasoning from its length: 4 characters of base64 are 3 bytes, and a token is about 4 bytes. */
function* countReasoning(part: ReasoningPart, how: CountMethod): CountSteps {
  if (part.text !== "" || part.extras === undefined) return yield* count(part.text, how);
  return Math.ceil((JSON.stringify(part.extras).length * 3) / 16);
}

function* countFile(part: FilePart, how: CountMethod): CountSteps {
  const name = part.name === undefined ? 0 : yield* count(part.name, how);
  const base64 = findInlineBase64(part.source);
  if (base64 === undefined || !TEXTUAL.test(part.mediaType))
    return name + countFileTokens(part, MEDIA_RULES[how.media]);
  let tokens = name;
  for (const piece of decodeTextPieces(base64)) {
    tokens += yield* count(piece, how);
    yield undefined;
  }
  return tokens;
}

const TEXTUAL = /^text\/|^application\/(?:[\w.+-]*(?:json|xml|yaml|javascript|typescript|toml|sql|csv)|x-sh)\b/;

function asFile({ mediaType = "application/octet-stream", base64 }: EmbeddedMedia): FilePart {
  return { type: "file", source: { type: "data", base64 }, mediaType };
}

/** Counts an empty text as 0, even if the counter does not. */
function* count(said: string, how: CountMethod): CountSteps {
  return said === "" ? 0 : yield* countTextInSteps(said, how.counter);
}
