/**
 * opencode's sessions, as `opencode export` writes them: `{ info, messages: [{ info, parts }] }`. One of its messages can
 * be several responses with the results between them; each becomes a message.
 */
import { type Fields, findText, invalidMessage, isObject, readFields, readList } from "../../core/check-value.ts";
import { parseDataUrl } from "../../core/message/decode-value.ts";
import type { Part } from "../../core/message/message.ts";
import type { TranscriptEvent } from "../../ports/transcript.ts";
import type { FileSample, FormatReader, TranscriptFormat } from "../shared/format.ts";
import type { SourceRecord } from "../shared/record.ts";
import { type MessageFacts, SessionDraft } from "../shared/session-draft.ts";
import { describeSkip } from "../shared/skip.ts";
import { asAmount, asJson, readTime, readUsage } from "../shared/values.ts";

export const opencodeFormat: TranscriptFormat = {
  name: "opencode",
  title: "opencode session (JSON of `opencode export`, or its storage folder)",
  recognize,
  open: () => new OpencodeReader(),
};

function recognize({ records }: FileSample): boolean {
  return records.slice(0, 1).some((value) => {
    const { info, messages } = readFields(value);
    return isObject(info) && Array.isArray(messages) && messages.every((each) => isObject(readFields(each).info));
  });
}

class OpencodeReader implements FormatReader {
  *take({ value, place }: SourceRecord): Generator<TranscriptEvent> {
    const { info: given, messages } = readFields(value);
    const info = readFields(given);
    if (!Array.isArray(messages)) throw invalidMessage(`${place}.messages`, "a list", messages);
    const [sourceId, title, folder] = [findText(info.id), findText(info.title), findText(info.directory)];
    const startedAt = readTime(readFields(info.time).created);
    const draft = new SessionDraft({
      format: "opencode",
      sourceId,
      title,
      folder,
      startedAt,
      parent: findParent(info),
    });
    for (const [index, each] of messages.entries()) {
      const path = `messages[${index}]`;
      try {
        yield* takeMessage(draft, readFields(each), path);
      } catch (error) {
        yield describeSkip({ place: path }, error);
      }
    }
  }
}

function findParent({ parentID: id }: Fields) {
  return typeof id === "string" ? ({ session: `opencode-${id}`, kind: "subagent" } as const) : undefined;
}

function* takeMessage(draft: SessionDraft, message: Fields, place: string): Generator<TranscriptEvent> {
  const info = readFields(message.info);
  const parts = readList(message.parts).map(readFields);
  const saidAt = readTime(readFields(info.time).created);
  if (info.summary === true) {
    const text = parts.flatMap(({ type, text: said }) => (type === "text" && typeof said === "string" ? [said] : []));
    yield* draft.start();
    const id = findText(info.id) ?? `${draft.id}-summary-${draft.messages}`;
    yield {
      type: "summary",
      session: draft.id,
      id,
      text: text.join("\n"),
      ...(saidAt === undefined ? {} : { at: saidAt }),
    };
    return;
  }
  const facts = info.role === "assistant" ? readAnswer(info, parts, place) : [readRequest(info, parts, place)];
  const known = { saidAt, parentId: findText(info.parentID) };
  const id = findText(info.id);
  const ids = (index: number) => (id === undefined || facts.length === 1 ? id : `${id}#${index}`);
  for (const [index, each] of facts.entries())
    if (each !== undefined) yield* draft.add({ ...known, ...each, id: ids(index) });
}

function readRequest(info: Fields, parts: readonly Fields[], place: string): MessageFacts | undefined {
  if (info.role !== "user") throw invalidMessage(`${place}.info.role`, "user or assistant", info.role);
  const said = parts.flatMap((part, index) => readPart(part, `${place}.parts[${index}]`));
  // A message with nothing but the mark of a compaction is no request.
  return said.length === 0 && parts.some(({ type }) => type === "compaction")
    ? undefined
    : { role: "user", parts: said };
}

interface Step {
  readonly parts: Part[];
  readonly results: Part[];
  usage?: MessageFacts["usage"];
  costUsd?: number | undefined;
}

function readAnswer(info: Fields, parts: readonly Fields[], place: string): readonly MessageFacts[] {
  const steps: Step[] = [{ parts: [], results: [] }];
  for (const [index, part] of parts.entries()) takePart(steps, part, { info, place: `${place}.parts[${index}]` });
  const filled = steps.filter((step) => step.parts.length > 0);
  const last = filled.at(-1);
  if (last !== undefined && filled.every(({ usage }) => usage === undefined)) {
    [last.usage, last.costUsd] = [readTokens(info.tokens, info), asAmount(info.cost)];
  }
  const source = { model: findText(info.modelID), provider: findText(info.providerID), mode: findText(info.mode) };
  const messages = filled.flatMap(({ results, ...step }): readonly MessageFacts[] => {
    const answer: MessageFacts = { role: "assistant", source, ...step };
    return results.length === 0 ? [answer] : [answer, { role: "tool", parts: results }];
  });
  return messages.length > 0
    ? messages
    : [{ role: "assistant", parts: [], source, usage: readTokens(info.tokens, info) }];
}

function takePart(
  steps: Step[],
  part: Fields,
  { info, place }: { readonly info: Fields; readonly place: string },
): void {
  const step = steps.at(-1) ?? { parts: [], results: [] };
  if (part.type === "step-finish") {
    [step.usage, step.costUsd] = [readTokens(part.tokens, info), asAmount(part.cost)];
    return;
  }
  const isNext = part.type === "step-start" || (part.type !== "tool" && step.results.length > 0);
  const read = part.type === "tool" ? readTool(part, place) : { parts: readPart(part, place), results: [] };
  if (!isNext || (read.parts.length === 0 && step.parts.length === 0)) {
    step.parts.push(...read.parts);
    step.results.push(...read.results);
  } else if (part.type === "step-start" || read.parts.length > 0)
    steps.push({ parts: [...read.parts], results: [...read.results] });
}

function readTokens(given: unknown, { modelID: model }: Fields) {
  const { input, output, cache } = readFields(given);
  const { read, write } = readFields(cache);
  return readUsage({ model, plain: input, output, cacheRead: read, cacheWrite: write });
}

function readTool(part: Fields, place: string): { readonly parts: readonly Part[]; readonly results: readonly Part[] } {
  const [callId, tool] = [findText(part.callID), findText(part.tool)];
  if (callId === undefined || tool === undefined) throw invalidMessage(place, "a call with callID and tool", part);
  const { status, input, output, error } = readFields(part.state);
  const call: Part = { type: "tool-call", callId, tool, input: asJson(input, `${place}.input`) };
  const text = findText(output) ?? findText(error) ?? (typeof output === "string" ? output : undefined);
  if (text === undefined) return { parts: [call], results: [] };
  const failed = status === "error";
  return { parts: [call], results: [{ type: "tool-result", callId, tool, output: { type: "text", text }, failed }] };
}

/** Parts of the program, such as snapshots and patches, are no content. */
function readPart(part: Fields, place: string): readonly Part[] {
  const { type, text, url, mime, filename } = part;
  if ((type === "text" || type === "reasoning") && typeof text === "string") return [{ type, text }];
  if (type !== "file" || typeof url !== "string") return [];
  const data = parseDataUrl(url);
  const source =
    data === undefined ? ({ type: "url", url } as const) : ({ type: "data", base64: data.base64 } as const);
  const mediaType = findText(mime) ?? data?.mediaType;
  if (mediaType === undefined) return [{ type: "unknown", format: "opencode", value: asJson(part, place) }];
  if (mediaType.startsWith("image/")) return [{ type: "image", source, mediaType }];
  return [{ type: "file", source, mediaType, ...(typeof filename === "string" ? { name: filename } : {}) }];
}
