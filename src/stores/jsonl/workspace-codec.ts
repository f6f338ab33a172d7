/**
 * The workspace document's format: all sessions in one `history.jsonl`. Messages of users and assistants are the
 * document's records; whatever else a session has (summaries, prunes, heads, results of tools) stands between them in
 * lines without role and content, which are no messages to anybody who counts or searches those.
 */
import { decodeStoredLine, ownCodec } from "./own-codec.ts";
import type { LineCodec } from "./stored-line.ts";
import { decodeMessageLine, encodeMessageLine } from "./workspace-record.ts";

export const workspaceCodec: LineCodec = {
  needsSum: false,

  encode(line) {
    const record = line.kind === "entry" ? encodeMessageLine(line) : undefined;
    if (record !== undefined) return record;
    const { session, ...rest } = ownCodec.encode(line);
    return { session_id: session, type: line.kind === "entry" ? line.entry.type : line.kind, palimpsest: rest };
  },

  decode(value) {
    const { role, session_id: sessionId, palimpsest } = value;
    if (role !== undefined) return decodeMessageLine(value);
    if (typeof palimpsest !== "object" || palimpsest === null || !("kind" in palimpsest)) return undefined;
    return decodeStoredLine(palimpsest, { kind: palimpsest.kind, sessionId });
  },
};
