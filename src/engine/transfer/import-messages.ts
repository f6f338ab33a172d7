/** Imports a conversation from another tool, one message per line. Everything is checked before anything is written. */
import { NEW_ID, oneOf } from "../../core/check-options.ts";
import { PalimpsestError } from "../../core/errors.ts";
import type { MessageDraft, SessionId } from "../../core/log/entry.ts";
import {
  type DecodedInput,
  type DecodeInputOptions,
  decodeInputInSteps,
  RECENT_MESSAGES,
  requireMessages,
} from "../../core/message/formats/decode-input.ts";
import { FORMAT_NAMES, type FormatName } from "../../core/message/formats/format.ts";
import type { Message } from "../../core/message/message.ts";
import { runInSteps } from "../../ports/run-in-steps.ts";
import type { EngineContext } from "../context/engine-context.ts";
import type { MessageCounts } from "../context/message-counts.ts";
import { loadCounts } from "../context/prompt-request.ts";
import { TITLE_RULE } from "../session-list/list-sessions.ts";
import { createDraft } from "../state/append-messages.ts";
import { claimImport, createImportConflict } from "./claim-import.ts";
import { assertImportSize, type ImportResult, type LineSource, type Lines, makeReadable } from "./import-session.ts";

export interface ImportMessagesOptions {
  readonly id?: SessionId | undefined;
  readonly title?: string | undefined;
  readonly format?: FormatName | undefined;
}

export const IMPORT_MESSAGES_RULES = { id: NEW_ID, title: TITLE_RULE, format: oneOf(...FORMAT_NAMES) };

const BATCH_LINES = 200;

export async function importMessages(
  context: EngineContext,
  source: LineSource,
  { id = context.ids.session(), title, format }: ImportMessagesOptions,
): Promise<ImportResult> {
  const read = await makeReadable(source);
  let checked = 0;
  for await (const messages of readBatches(read(), context, format)) {
    checked += messages.length;
    assertImportSize(context, checked);
  }
  if (checked === 0) requireMessages([]);
  const claim = await claimImport(context, { id, createdAt: context.clock.now() });
  try {
    const counts = await loadCounts(context, {});
    // A message that is in the file twice, unchanged, is stored once.
    let entries = 0;
    for await (const messages of readBatches(read(), context, format)) {
      const drafts = await runInSteps(draftMessages(messages, { context, counts }));
      await claim.assertHeld();
      entries = Math.max(entries, await write(context, id, drafts));
    }
    await claim.finish(title);
    return { sessionId: id, entries, messages: entries };
  } catch (error) {
    await claim.abandon();
    throw error;
  }
}

function* draftMessages(
  messages: readonly Message[],
  { context, counts }: { readonly context: EngineContext; readonly counts: MessageCounts },
): Generator<undefined, readonly MessageDraft[]> {
  const drafts: MessageDraft[] = [];
  for (const message of messages) {
    const tokens = yield* counts.measureInSteps(message);
    drafts.push(createDraft({ context, counts: { id: counts.id, count: () => tokens } }, message, {}));
    yield undefined;
  }
  return drafts;
}

async function write({ store }: EngineContext, id: SessionId, drafts: readonly MessageDraft[]): Promise<number> {
  const outcome = await store.append(id, { entries: drafts });
  if (outcome.type === "conflict") throw createDuplicateError(outcome.entryId);
  if (outcome.type !== "appended") throw createImportConflict(id);
  return outcome.lastSeq;
}

/** Decodes each batch in the format of the one before, because its results may answer earlier calls. */
async function* readBatches(
  lines: Lines,
  context: EngineContext,
  format: FormatName | undefined,
): AsyncGenerator<readonly Message[], void, undefined> {
  let [earlierFormat, before]: [FormatName | undefined, readonly Message[]] = [undefined, []];
  for await (const parsed of parseLines(lines)) {
    const options: DecodeInputOptions = { fallbackId: () => context.ids.message(), format, earlierFormat, before };
    const items = parsed.map(({ item }) => item);
    const decoded: DecodedInput = await runInSteps(decodeInputInSteps(items, options)).catch((error: unknown) => {
      throw nameLine(error, parsed);
    });
    const messages = decoded.messages.flat();
    earlierFormat = decoded.format;
    before = [...before, ...messages].slice(-RECENT_MESSAGES);
    yield messages;
  }
}

interface ParsedLine {
  readonly item: unknown;
  readonly lineNumber: number;
}

async function* parseLines(lines: Lines): AsyncGenerator<readonly ParsedLine[], void, undefined> {
  let parsed: ParsedLine[] = [];
  let lineNumber = 0;
  for await (const line of lines) {
    lineNumber += 1;
    if (line.trim() === "") continue;
    parsed.push({ item: parseLine(line, lineNumber), lineNumber });
    if (parsed.length < BATCH_LINES) continue;
    yield parsed;
    parsed = [];
  }
  if (parsed.length > 0) yield parsed;
}

function parseLine(line: string, lineNumber: number): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw createUnreadableError(lineNumber, error, "it is not JSON");
  }
}

function nameLine(error: unknown, parsed: readonly ParsedLine[]): unknown {
  if (!(error instanceof PalimpsestError)) return error;
  const [, place, reason] = /^messages\[(\d+)\](?:\.|: )?(.*)$/s.exec(error.message) ?? [];
  const line = parsed[Number(place)];
  return line === undefined ? error : createUnreadableError(line.lineNumber, error, reason);
}

function createUnreadableError(line: number, cause: unknown, reason = ""): PalimpsestError {
  const text = `import: line ${line} cannot be read as a message: ${reason.replace(/\.$/, "")}. Nothing was imported.`;
  return new PalimpsestError("message-invalid", text, { details: { line }, cause });
}

function createDuplicateError(messageId: string): PalimpsestError {
  const text = `import: two messages with the id ${JSON.stringify(messageId)} have different content. Nothing was imported.`;
  return new PalimpsestError("message-conflict", text, { details: { messageId } });
}
