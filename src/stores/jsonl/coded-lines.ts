/** Lines as bytes of a file, spelled as its format spells them. */
import { PalimpsestError } from "../../core/errors.ts";
import { decodeLine, encodeBatch, LONGEST_LINE_BYTES } from "./line.ts";
import type { Place } from "./session-index.ts";
import type { LineCodec, StoredLine } from "./stored-line.ts";

/** One batch. Refused where a line would be too long to be read back. */
export function encodeLines(codec: LineCodec, lines: readonly StoredLine[]): readonly Buffer[] {
  const encoded = encodeBatch(lines.map((line) => codec.encode(line)));
  if (encoded.every(({ length }) => length <= LONGEST_LINE_BYTES)) return encoded;
  throw new PalimpsestError("message-invalid", `An entry is larger than ${LONGEST_LINE_BYTES} bytes.`);
}

/** The line at a place among bytes; undefined where it is damaged or none of the format's. */
export function decodeLineAt(codec: LineCodec, bytes: Buffer, { offset, length }: Place): StoredLine | undefined {
  const decoded = decodeLine(bytes.subarray(offset, offset + length));
  if (typeof decoded === "string" || (codec.needsSum && !decoded.hasSum)) return undefined;
  return codec.decode(decoded.value);
}

const NEWLINE = 0x0a;

/** The line that ends these bytes with its newline. */
export function decodeWhole(codec: LineCodec, bytes: Buffer): StoredLine | undefined {
  if (bytes.at(-1) !== NEWLINE) return undefined;
  return decodeLineAt(codec, bytes, { offset: 0, length: bytes.length - 1 });
}
