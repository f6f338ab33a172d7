/** Generates parts of every kind with the extras of providers. `generate-histories.ts` decides where they go. */
import fc from "fast-check";
import { FORMAT_NAMES } from "../core/message/formats/format.ts";
import type {
  Extras,
  FilePart,
  ImagePart,
  MediaSource,
  Part,
  ReasoningPart,
  SourcePart,
  TextPart,
  ToolCallPart,
  ToolOutput,
  ToolResultPart,
  UnknownPart,
} from "../core/message/message.ts";
import { jsonObjects, jsonValues } from "./generate-json.ts";
import { prose, spokenTexts, type TextOptions, texts } from "./generate-texts.ts";
import { weighted } from "./weighted.ts";

/** Id of calls and results before they are joined. */
const UNJOINED = "call";

/** Leaves room for the levels of a message below the maximum depth of 64. */
const DEEPEST_VALUE = 48;

export function parts(options: TextOptions = {}): fc.Arbitrary<Part> {
  return fc.oneof<fc.Arbitrary<Part>[]>(
    textParts(options),
    reasoningParts(),
    toolCallParts(),
    toolResultParts(options),
    imageParts(),
    fileParts(),
    sourceParts(),
    unknownParts(),
  );
}

/** Generates text parts that are not blank. */
export function textParts(options: TextOptions = {}): fc.Arbitrary<TextPart> {
  return fc
    .tuple(spokenTexts(options), seldom(textExtras))
    .map(([text, extras]) => ({ type: "text", text, ...extras }));
}

const textExtras = (): fc.Arbitrary<Extras> =>
  fc.oneof(
    fc.constantFrom<Extras[]>(
      { anthropic: { cacheControl: { type: "ephemeral" } } },
      { google: { thoughtSignature: "Eo8CCowC" } },
      { "wire:openai-chat": { refusal: null } },
    ),
    serial().map((number) => ({ openai: { itemId: `msg_${number}` } })),
  );

/** Generates reasoning. Encrypted reasoning has extras and no text. */
export function reasoningParts(): fc.Arbitrary<ReasoningPart> {
  const open = fc.tuple(
    prose(),
    weighted<Extras | undefined>([
      [1, fc.constant(undefined)],
      [3, serial().map(signed)],
    ]),
  );
  const sealed = fc.tuple(fc.constant(""), serial().map(sealedExtras));
  return weighted<readonly [string, Extras | undefined]>([
    [5, open],
    [1, sealed],
  ]).map(([text, extras]) => ({ type: "reasoning", text, ...(extras === undefined ? {} : { extras }) }));
}

function signed(number: number): Extras {
  const kinds: readonly Extras[] = [
    { anthropic: { signature: `EqQBCkYI${number}==` } },
    { openai: { itemId: `rs_${number}`, reasoningEncryptedContent: `gAAAA${number}` } },
    { google: { thoughtSignature: `Cv4B${number}` } },
  ];
  return kinds[number % kinds.length] ?? {};
}

function sealedExtras(number: number): Extras {
  return number % 2 === 0
    ? { anthropic: { redactedData: `EmwKAhgB${number}` } }
    : { openai: { itemId: `rs_${number}`, reasoningEncryptedContent: `gAAAA${number}` } };
}

export function toolCallParts(): fc.Arbitrary<ToolCallPart> {
  const input = weighted([
    [8, jsonObjects()],
    [1, jsonValues({ deepest: DEEPEST_VALUE })],
  ]);
  return fc
    .tuple(fc.constantFrom(...TOOLS), input, fc.nat({ max: 9 }), seldom(callExtras))
    .map(([tool, value, spelling, extras]) => ({
      type: "tool-call",
      callId: UNJOINED,
      tool,
      input: value,
      ...(spelling === 9 ? { inputText: JSON.stringify(value, null, 1) } : {}),
      ...extras,
    }));
}

const TOOLS = ["read_file", "run_command", "search_web", "get_weather", "edit_file", "mcp__tracker__list"];

const callExtras = (): fc.Arbitrary<Extras> =>
  serial().map((number) =>
    number % 2 === 0 ? { openai: { itemId: `fc_${number}` } } : { google: { thoughtSignature: `Cr0B${number}` } },
  );

export function toolResultParts(options: TextOptions = {}): fc.Arbitrary<ToolResultPart> {
  return fc
    .tuple(toolOutputs(options), fc.nat({ max: 7 }), fc.boolean(), fc.constantFrom(...TOOLS))
    .map(([output, luck, named, tool]) => ({
      type: "tool-result",
      callId: UNJOINED,
      ...(named ? { tool } : {}),
      output,
      failed: luck === 7,
    }));
}

/** Generates outputs of tools, blank ones included. */
export function toolOutputs(options: TextOptions = {}): fc.Arbitrary<ToolOutput> {
  const shown = fc.array(
    fc.oneof<fc.Arbitrary<TextPart | ImagePart | FilePart>[]>(textParts(options), imageParts(), fileParts()),
    { minLength: 1, maxLength: 2, size: "max" },
  );
  return weighted<ToolOutput>([
    [8, texts(options).map((text) => ({ type: "text", text }))],
    [3, jsonValues({ deepest: DEEPEST_VALUE }).map((value) => ({ type: "json", value }))],
    [1, shown.map((inside) => ({ type: "parts", parts: inside }))],
  ]);
}

export function imageParts(): fc.Arbitrary<ImagePart> {
  const side = fc.integer({ min: 1, max: 4_096 });
  return fc
    .tuple(
      mediaSources("image"),
      fc.constantFrom("image/png", "image/jpeg", "image/webp"),
      side,
      side,
      fc.nat({ max: 3 }),
    )
    .map(([source, mediaType, widthPixels, heightPixels, known]) => ({
      type: "image",
      source,
      ...(known >= 1 || source.type === "data" ? { mediaType } : {}),
      ...(known >= 2 ? { widthPixels, heightPixels } : {}),
      ...(known === 3 ? { extras: { openai: { imageDetail: "low" } } } : {}),
    }));
}

export function fileParts(): fc.Arbitrary<FilePart> {
  return fc
    .tuple(mediaSources("file"), fc.constantFrom("application/pdf", "text/plain", "audio/wav"), fc.boolean())
    .map(([source, mediaType, named]) => ({
      type: "file",
      source,
      mediaType,
      ...(named ? { name: "report 3.pdf" } : {}),
    }));
}

function mediaSources(kind: string): fc.Arbitrary<MediaSource> {
  return fc.tuple(fc.nat({ max: 3 }), serial()).map(([choice, number]) => {
    if (choice === 2) return { type: "url", url: `https://example.com/${kind}/${number}` };
    if (choice === 3) return { type: "reference", id: `${kind}-${number}` };
    return { type: "data", base64: btoa(`${kind} ${number}`) };
  });
}

export function sourceParts(): fc.Arbitrary<SourcePart> {
  return fc.tuple(serial(), prose(), fc.boolean()).map(([number, title, isPage]) => ({
    type: "source",
    id: `source-${number}`,
    ...(isPage
      ? { url: `https://example.com/${number}`, title }
      : { mediaType: "application/pdf", title, name: `paper-${number}.pdf` }),
  }));
}

/** Generates parts of an unknown type, as a newer provider may send them. */
export function unknownParts(): fc.Arbitrary<UnknownPart> {
  return fc
    .tuple(fc.constantFrom(...FORMAT_NAMES), jsonObjects())
    .map(([format, value]) => ({ type: "unknown", format, value: { ...value, type: "hologram" } }));
}

function serial(): fc.Arbitrary<number> {
  return fc.nat({ max: 9_999 });
}

function seldom(make: () => fc.Arbitrary<Extras>): fc.Arbitrary<{ extras?: Extras }> {
  return weighted([
    [9, fc.constant({})],
    [1, make().map((extras) => ({ extras }))],
  ]);
}
