/**
 * One request through the AI SDK. It says what every request of the engine says: temperature 0, a cap, no retries, no
 * downloads, tools only to be looked at. It throws what the vendor throws; outcomes are made by its caller.
 */
import type { LanguageModel, LanguageModelMiddleware, OutputInterface, ToolSet } from "ai";
import type { JsonObject } from "../core/message/json.ts";
import { renderPrompt } from "../core/prompt/render/render-prompt.ts";
import type { ModelOutcome, ModelRequest, ModelTool } from "../ports/model.ts";
import { readAnswer } from "./read-answer.ts";

export interface AskOptions {
  readonly request: ModelRequest;
  readonly signal: AbortSignal;
  /** The schema is written into the instructions instead of being sent as one. */
  readonly schemaInWords: boolean;
}

type AiSdk = typeof import("ai");

export async function askAiSdk(
  languageModel: LanguageModel,
  { request, signal, schemaInWords }: AskOptions,
): Promise<ModelOutcome> {
  const aiSdk = await loadAiSdk();
  const { messages, maxOutputTokens, breakpoints } = request;
  const instructions = schemaInWords ? instructionsWithSchema(request) : request.instructions;
  const { stream } = aiSdk.streamText({
    model: withoutWarnings(languageModel, aiSdk),
    ...renderPrompt({ provider: "ai-sdk", instructions, messages, breakpoints }),
    ...toolSettings(request.tools ?? [], aiSdk),
    temperature: 0,
    maxOutputTokens,
    maxRetries: 0,
    abortSignal: signal,
    output: rawOutput(schemaInWords ? undefined : request.schema),
    // Errors are read from the stream; without a listener the SDK prints them too.
    onError: () => undefined,
    // A provider may fetch what a conversation names; this process does not.
    experimental_download: async (downloads) => downloads.map(() => null),
  });
  return readAnswer(stream, maxOutputTokens, request.onPiece);
}

async function loadAiSdk(): Promise<AiSdk> {
  try {
    return await import("ai");
  } catch (error) {
    throw new Error('The package "ai" could not be loaded. Install version 7 of it to use models of the AI SDK.', {
      cause: error,
    });
  }
}

function instructionsWithSchema({ instructions, schema }: ModelRequest): string {
  if (schema === undefined) return instructions;
  const sentence = "Answer with one JSON value and nothing else. It must follow this JSON schema:";
  return `${instructions}\n\n${sentence}\n${JSON.stringify(schema)}`;
}

function toolSettings(tools: readonly ModelTool[], { jsonSchema, tool }: AiSdk) {
  if (tools.length === 0) return {};
  const described: ToolSet = Object.fromEntries(
    tools.map(({ name, description, inputSchema }) => [
      name,
      tool({ description, inputSchema: jsonSchema(copyOf(inputSchema)) }),
    ]),
  );
  return { tools: described, toolChoice: "none" as const };
}

/**
 * Asks the provider for JSON and leaves the text alone. The SDK's own output for objects parses the text so far at every
 * piece, which costs the square of its length, and what is wrong with an answer is for our caller to say.
 */
function rawOutput(schema: JsonObject | undefined): OutputInterface<string, number, never> {
  return {
    name: "raw",
    responseFormat: Promise.resolve(
      schema === undefined ? { type: "text" } : { type: "json", name: "answer", schema: copyOf(schema) },
    ),
    parseCompleteOutput: async ({ text }) => text,
    // A piece is passed on when this value changes.
    parsePartialOutput: async ({ text }) => ({ partial: text.length }),
    createElementStreamTransform: () => undefined,
  };
}

/** Vendors' types are of mutable values. */
function copyOf(schema: JsonObject): object {
  return structuredClone(schema);
}

/** A setting that a model does not take (temperature, for those that reason) is left out, not news at every call. */
function withoutWarnings(model: LanguageModel, { wrapLanguageModel }: AiSdk): LanguageModel {
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
