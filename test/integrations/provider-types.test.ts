/**
 * Compiles calls of the official packages with our prompts, without a cast: `npm run check` fails if one of them no
 * longer accepts a prompt. The functions are never called; the tests show that types and values agree.
 */
import type Anthropic from "@anthropic-ai/sdk";
import type { GoogleGenAI } from "@google/genai";
import type OpenAI from "openai";
import { describe, expect, expectTypeOf, test } from "vitest";
import { openPalimpsest } from "../../src/compose.ts";
import { validate } from "../../src/core/public/index.ts";
import type { Prompt } from "../../src/engine/prompt/prompt.ts";
import type { Session } from "../../src/engine/session/session.ts";
import { PIXEL } from "../support/pixel.ts";

const callOpenAi = async (client: OpenAI, prompt: Prompt, session: Session) => {
  const completion = await client.chat.completions.create({ model: "gpt-5", ...prompt.as("openai") });
  const [choice] = completion.choices;
  if (choice !== undefined) await session.append(choice.message, { promptId: prompt.id, usage: completion.usage });
};

const callResponses = async (client: OpenAI, prompt: Prompt, session: Session) => {
  const response = await client.responses.create({ model: "gpt-5", ...prompt.as("openai-responses") });
  await session.append(response.output, { promptId: prompt.id, usage: response.usage });
};

const callAnthropic = async (client: Anthropic, prompt: Prompt, session: Session) => {
  const message = await client.messages.create({ model: "claude", max_tokens: 1_000, ...prompt.as("anthropic") });
  await session.append(message, { promptId: prompt.id, usage: message.usage });
};

const callGemini = async (client: GoogleGenAI, prompt: Prompt, session: Session) => {
  const { contents, ...config } = prompt.as("gemini");
  const response = await client.models.generateContent({ model: "gemini-3-pro", contents, config });
  const content = response.candidates?.[0]?.content;
  if (content !== undefined) await session.append(content, { promptId: prompt.id, usage: response.usageMetadata });
};

const inputSchema = { type: "object" as const, properties: { topic: { type: "string" } } };
const description = "Looks a topic up.";

const streamOpenAi = async (client: OpenAI, prompt: Prompt, session: Session) => {
  const tools = [{ type: "function" as const, function: { name: "lookup", description, parameters: inputSchema } }];
  const stream_options = { include_usage: true };
  const request = { model: "gpt-5", tools, stream: true as const, stream_options, ...prompt.as("openai") };
  let [content, usage] = ["", undefined as OpenAI.CompletionUsage | undefined];
  for await (const chunk of await client.chat.completions.create(request)) {
    content += chunk.choices[0]?.delta.content ?? "";
    usage = chunk.usage ?? usage;
  }
  await session.append({ role: "assistant", content }, { promptId: prompt.id, usage });
};

const streamResponses = async (client: OpenAI, prompt: Prompt, session: Session) => {
  const tool = { type: "function" as const, name: "lookup", description, parameters: inputSchema, strict: null };
  const request = { model: "gpt-5", tools: [tool], stream: true as const, ...prompt.as("openai-responses") };
  for await (const event of await client.responses.create(request)) {
    if (event.type !== "response.completed") continue;
    const { output, usage } = event.response;
    await session.append(output, { promptId: prompt.id, usage });
  }
};

const streamAnthropic = async (client: Anthropic, prompt: Prompt, session: Session) => {
  const tools = [{ name: "lookup", description, input_schema: inputSchema }];
  const stream = client.messages.stream({ model: "claude", max_tokens: 1_000, tools, ...prompt.as("anthropic") });
  const message = await stream.finalMessage();
  await session.append(message, { promptId: prompt.id, usage: message.usage });
};

const streamGemini = async (client: GoogleGenAI, prompt: Prompt, session: Session) => {
  const { contents, ...instructions } = prompt.as("gemini");
  const tools = [{ functionDeclarations: [{ name: "lookup", description, parametersJsonSchema: inputSchema }] }];
  const request = { model: "gemini-3-pro", contents, config: { tools, ...instructions } };
  for await (const { candidates, usageMetadata: usage } of await client.models.generateContentStream(request)) {
    const content = candidates?.[0]?.content;
    if (content !== undefined) await session.append(content, { promptId: prompt.id, usage });
  }
};

const passTools = async (
  session: Session,
  body: Pick<OpenAI.ChatCompletionCreateParams, "tools">,
  request: Pick<Anthropic.MessageCreateParams, "tools">,
) => {
  await session.prompt({ tools: body.tools });
  await session.prompt({ tools: request.tools });
};

const callWrongly = (client: OpenAI, prompt: Prompt) =>
  // @ts-expect-error A prompt for Anthropic's API is not one for OpenAI's.
  client.chat.completions.create({ model: "gpt-5", ...prompt.as("anthropic") });

describe("prompts for the official packages", () => {
  test("compile without a cast, and so do replies and usage", () => {
    const calls = [callOpenAi, callResponses, callAnthropic, callGemini];
    for (const call of [...calls, streamOpenAi, streamResponses, streamAnthropic, streamGemini])
      expectTypeOf(call).returns.resolves.toEqualTypeOf<void>();
    expectTypeOf(passTools).returns.resolves.toEqualTypeOf<void>();
    expectTypeOf(callWrongly).toBeFunction();
  });

  test("have values that match their types", async () => {
    const session = await (await openPalimpsest({ counter: "estimate" })).session();
    const image = { type: "file", data: PIXEL, mediaType: "image/png" };
    const call = { toolCallId: "call_1", toolName: "lookup" };
    await session.append([
      { role: "user", content: [{ type: "text", text: "What is this?" }, image] },
      { role: "assistant", content: [{ type: "tool-call", ...call, input: { topic: "it" } }] },
      { role: "tool", content: [{ type: "tool-result", ...call, output: { type: "text", value: "A pixel." } }] },
    ]);
    const prompt = await session.prompt({ instructions: "Be brief." });
    const [user] = prompt.as("anthropic").messages;
    expect(user?.content[1]).toMatchObject({ type: "image", source: { type: "base64", media_type: "image/png" } });
    expect(prompt.as("openai").messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool"]);
    const types = prompt.as("openai-responses").input.map(({ type }) => type);
    expect(types).toEqual(["message", "function_call", "function_call_output"]);
    expect(prompt.as("gemini").contents.map(({ role }) => role)).toEqual(["user", "model", "user"]);
    expect(prompt.as("gemini").systemInstruction?.parts).toEqual([{ text: "Be brief." }]);
    for (const name of ["openai", "openai-responses", "anthropic", "gemini"] as const)
      expect(validate(JSON.parse(JSON.stringify(prompt.as(name))), name)).toEqual([]);
  });
});
