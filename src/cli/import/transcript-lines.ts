/** Writes a conversation of another program as an export, so that it is imported completely or not at all. */
import { randomBytes } from "node:crypto";
import type { ChatTranscript } from "../../client/read-transcripts.ts";
import type { Entry, SessionId } from "../../core/log/entry.ts";
import { dropRepeatedMessages } from "../../core/message/drop-repeated-messages.ts";
import { decodeInput, requireMessages } from "../../core/message/formats/decode-input.ts";
import { hashMessage } from "../../core/message/hash-message.ts";
import type { Message } from "../../core/message/message.ts";
import { createIds } from "../../engine/context/create-ids.ts";
import { EXPORT_FORMAT, EXPORT_VERSION, encodeLine, LineSum } from "../../engine/transfer/export-format.ts";

const ids = createIds({
  clock: { now: () => Date.now() },
  randomHex: (digits) =>
    randomBytes(Math.ceil(digits / 2))
      .toString("hex")
      .slice(0, digits),
});

/** Throws `message-invalid` with the path of a message that cannot be decoded. */
export function writeTranscriptAsExport(transcript: ChatTranscript, id: SessionId = ids.session()) {
  const { messages: given, format, title } = transcript;
  const decoded = decodeInput(given, { fallbackId: () => ids.message(), format });
  // Other programs may use an id twice; a log does not.
  const { messages } = dropRepeatedMessages(requireMessages(decoded.messages.flat()));
  const at = Date.now();
  const session = { id, createdAt: at, ...(title === undefined ? {} : { title }) };
  const sum = new LineSum();
  const lines = [
    encodeLine({ format: EXPORT_FORMAT, version: EXPORT_VERSION, session, secrets: "kept" }),
    ...messages.map((message, index) => encodeLine({ entry: entryOf(message, { at, seq: index + 1 }) })),
  ];
  for (const line of lines) sum.add(line);
  return { id, lines: [...lines, encodeLine({ end: { entries: messages.length, sha256: sum.digest() } })] };
}

/** Leaves `tokens` empty, because the import counts them. */
function entryOf(message: Message, { at, seq }: { readonly at: number; readonly seq: number }): Entry {
  return { type: "message", id: message.id, seq, at, message, hash: hashMessage(message), tokens: {} };
}
