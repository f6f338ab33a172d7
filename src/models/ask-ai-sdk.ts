/**
 * Sends one request through the AI SDK with the engine's settings: temperature 0, an output limit, no retries, no
 * downloads, and tools that are only declared. It throws the vendor's errors; the caller turns them into outcomes.
 */
import type { LanguageModel, LanguageModelMiddleware, OutputInterface, ToolSet } from "ai";
import type { JsonObject } from "../core/message/json.ts";
import { renderPrompt } from "../core/prompt/render/render-prompt.ts";
import type { ModelOutcome, ModelRequest, ModelTool } from "../ports/model.ts";
import { readAnswer } from "./read-answer.ts";

export interface AskAiSdkOptions {
  readonly request: ModelRequest;
  readonly signal: AbortSignal;
  /** Writes the schema into the instructions instead of sending it as a setting. */
  readonly schemaAsText: boolean;
}

type AiSdk = typeof import("ai");

export async function askAiSdk(
  languageModel: LanguageModel,
  { request, signal, schemaAsText }: AskAiSdkOptions,
): Promise<ModelOutcome> {
  const aiSdk = await loadAiSdk();
  const { messages, maxOutputTokens, breakpoints } = request;
  const instructions = schemaAsText ? addSchema(request) : request.instructions;
  const { stream } = aiSdk.streamText({
    model: suppressWarnings(languageModel, aiSdk),
    ...renderPrompt({ provider: "ai-sdk", instructions, messages, breakpoints }),
    ...buildToolSettings(request.tools ?? [], aiSdk),
    temperature: 0,
    maxOutputTokens,
    maxRetries: 0,
    abortSignal: signal,
    output: createRawOutput(schemaAsText ? undefined : request.schema),
    // Errors are read from the stream; without this callback the SDK prints them too.
    onError: () => undefined,
    // A provider may fetch URLs of a conversation; this process does not.
    experimental_download: async (downloads) => downloads.map(() => null),
  });
  return readAnswer(stream, maxOutputTokens, request.onPiece);
}

export async function loadAiSdk(): Promise<AiSdk> {
  try {
    return await import("ai");
  } catch (error) {
    const text = "Models of the AI SDK need the package ai, which could not be loaded. Run: npm install ai@7";
    throw new Error(text, { cause: error });
  }
}

function addSchema({ instructions, schema }: ModelRequest): string {
  if (schema === undefined) return instructions;
  const sentence = "Answer with one JSON value and nothing else. It must follow this JSON schema:";
  return `${instructions}\n\n${sentence}\n${JSON.stringify(schema)}`;
}

function buildToolSettings(tools: readonly ModelTool[], { jsonSchema, tool }: AiSdk) {
  if (tools.length === 0) return {};
  const described: ToolSet = Object.fromEntries(
    tools.map(({ name, description, inputSchema }) => [
      name,
      tool({ description, inputSchema: jsonSchema(cloneSchema(inputSchema)) }),
    ]),
  );
  return { tools: described, toolChoice: "none" as const };
}

/**
 * Requests JSON and returns the raw text. The SDK's own object output parses the partial text at every chunk, which
 * takes quadratic time, and the caller validates the answer anyway.
 */
function createRawOutput(schema: JsonObject | undefined): OutputInterface<string, number, never> {
  return {
    name: "raw",
    responseFormat: Promise.resolve(
      schema === undefined ? { type: "text" } : { type: "json", name: "answer", schema: cloneSchema(schema) },
    ),
    parseCompleteOutput: async ({ text }) => text,
    // A chunk is passed on when this value changes.
    parsePartialOutput: async ({ text }) => ({ partial: text.length }),
    createElementStreamTransform: () => undefined,
  };
}

/** Vendor types need mutable values. */
function cloneSchema(schema: JsonObject): object {
  return structuredClone(schema);
}

/** Suppresses the warning at every call for a setting that a model lacks, such as temperature for reasoning models. */
function suppressWarnings(model: LanguageModel, { wrapLanguageModel }: AiSdk): LanguageModel {
  return typeof model === "string" ? model : wrapLanguageModel({ model, middleware: dropWarnings });
}

const dropWarnings: LanguageModelMiddleware = {
  async wrapStream({ doStream }) {
    const { stream, ...others } = await doStream();
    const quiet = stream.pipeThrough(
      new TransformStream({
        transform(part, controller) {
          controller.enqueue(part.type === "stream-start" ? { ...part, warnings: [] } : part);
        },
      }),
    );
    return { ...others, stream: quiet };
  },
};
