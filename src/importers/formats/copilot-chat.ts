/** Chats that VS Code exports from Copilot Chat: requests with the parts of their responses. */
import {
  type Fields,
  findText,
  invalidMessage,
  isObject,
  readFields,
  readList,
  readText,
} from "../../core/check-value.ts";
import type { Part } from "../../core/message/message.ts";
import type { TranscriptEvent } from "../../ports/transcript.ts";
import type { FileSample, FormatReader, TranscriptFormat } from "../shared/format.ts";
import type { SourceRecord } from "../shared/record.ts";
import { type MessageFacts, SessionDraft } from "../shared/session-draft.ts";
import { readArguments, readTime, readUsage } from "../shared/values.ts";

export const copilotChatFormat: TranscriptFormat = {
  name: "copilot-chat",
  title: "Copilot Chat export of VS Code (JSON)",
  recognize,
  open: () => new CopilotChatReader(),
};

function recognize({ records }: FileSample): boolean {
  const [first] = records.map(readFields);
  if (first === undefined || !Array.isArray(first.requests)) return false;
  if (first.responderUsername !== undefined || first.requesterUsername !== undefined) return true;
  return first.requests.some((each) => {
    const { message, response } = readFields(each);
    return message !== undefined && Array.isArray(response);
  });
}

class CopilotChatReader implements FormatReader {
  *take({ value, place }: SourceRecord): Generator<TranscriptEvent> {
    const chat = readFields(value);
    if (!Array.isArray(chat.requests)) throw invalidMessage(`${place}.requests`, "a list", chat.requests);
    const [sourceId, title] = [findText(chat.sessionId), findText(chat.customTitle)];
    const draft = new SessionDraft({ format: "copilot-chat", sourceId, title, startedAt: readTime(chat.creationDate) });
    for (const [index, request] of chat.requests.entries()) {
      const path = `requests[${index}]`;
      if (isObject(request)) for (const facts of readRequest(request, path)) yield* draft.add(facts);
      else yield { type: "skipped", place: path, reason: "it is not an object" };
    }
  }
}

function readRequest(request: Fields, place: string): readonly MessageFacts[] {
  const id = findText(request.requestId);
  const saidAt = readTime(request.timestamp);
  const { message } = request;
  const text = typeof message === "string" ? message : readText(readFields(message).text);
  const asked: MessageFacts = { id, role: "user", saidAt, parts: [{ type: "text", text }] };
  const answers = readAnswers(request, place);
  const model = findText(request.modelId);
  const { promptTokens: input, outputTokens: output } = readFields(readFields(request.result).metadata);
  const usage = readUsage({ model, input, output });
  const responseId = findText(request.responseId);
  const last = answers.findLastIndex(({ role }) => role === "assistant");
  const named = answers.map((facts, index) => ({
    ...facts,
    ...(responseId === undefined
      ? {}
      : { id: answers.length === 1 ? responseId : `${responseId}#${index}`, responseId }),
    ...(facts.role === "assistant" ? { source: { model } } : {}),
    ...(index === last ? { usage } : {}),
  }));
  return [asked, ...named];
}

/** The rounds of calls are in the metadata of the result; without them, the parts that were shown. */
function readAnswers(request: Fields, place: string): readonly MessageFacts[] {
  const { toolCallRounds: rounds, toolCallResults: results } = readFields(readFields(request.result).metadata);
  const list = readList(rounds).map(readFields);
  if (list.some(({ toolCalls }) => readList(toolCalls).length > 0)) {
    return list.flatMap((round, index) => readRound(round, readFields(results), `${place}.rounds[${index}]`));
  }
  return readShown(readList(request.response).map(readFields), place);
}

function readRound(round: Fields, results: Fields, place: string): readonly MessageFacts[] {
  const text = findText(round.response);
  const thought = findText(readFields(round.thinking).text);
  const calls = readList(round.toolCalls)
    .map(readFields)
    .flatMap((call): readonly Extract<Part, { type: "tool-call" }>[] => {
      const [callId, tool] = [findText(call.id), findText(call.name)];
      if (callId === undefined || tool === undefined) return [];
      return [{ type: "tool-call", callId, tool, ...readArguments(call.arguments, place) }];
    });
  const answers = calls.flatMap(({ callId, tool }): readonly Part[] => {
    const { content } = readFields(results[callId]);
    if (!Array.isArray(content)) return [];
    const said = content.map((each) => readContent(readFields(each).value)).join("\n");
    return [{ type: "tool-result", callId, tool, output: { type: "text", text: said }, failed: false }];
  });
  const parts = [...think(thought), ...say(text), ...calls];
  return [
    ...(parts.length === 0 ? [] : [{ role: "assistant" as const, parts }]),
    ...(answers.length === 0 ? [] : [{ role: "tool" as const, parts: answers }]),
  ];
}

/** Content is a text, or a tree of rendered texts. */
function readContent(value: unknown): string {
  if (typeof value === "string") return value;
  const texts: string[] = [];
  const waiting: unknown[] = [value];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { text, children, node } = readFields(next);
    if (typeof text === "string") texts.push(text);
    waiting.push(...[node, ...readList(children)].filter((each) => each !== undefined && each !== null).reverse());
  }
  return texts.join("");
}

/** Shown calls have no arguments; what they say about themselves is kept. */
function readShown(response: readonly Fields[], place: string): readonly MessageFacts[] {
  const parts: Part[] = [];
  for (const [index, part] of response.entries()) {
    const { kind, value, content } = part;
    const text = typeof value === "string" ? value : readText(readFields(content).value);
    if (kind === "thinking") parts.push(...think(findText(text)));
    else if (kind === "inlineReference")
      addText(parts, readText(part.name) || readText(readFields(part.inlineReference).path));
    else if (kind === "toolInvocationSerialized") parts.push(readInvocation(part, `${place}.response[${index}]`));
    else if (kind === undefined || kind === "markdownContent") addText(parts, text);
  }
  return parts.length === 0 ? [] : [{ role: "assistant", parts }];
}

/** Neighboring pieces of the shown text are one text. */
function addText(parts: Part[], text: string): void {
  const last = parts.at(-1);
  if (text === "") return;
  if (last?.type === "text") parts[parts.length - 1] = { ...last, text: last.text + text };
  else parts.push({ type: "text", text });
}

function readInvocation(part: Fields, place: string): Part {
  const callId = findText(part.toolCallId) ?? place;
  const message = part.pastTenseMessage ?? part.invocationMessage;
  const said = typeof message === "string" ? message : readText(readFields(message).value);
  return { type: "tool-call", callId, tool: findText(part.toolId) ?? "tool", input: said };
}

function think(text: string | undefined): readonly Part[] {
  return text === undefined ? [] : [{ type: "reasoning", text }];
}

function say(text: string | undefined): readonly Part[] {
  return text === undefined ? [] : [{ type: "text", text }];
}
