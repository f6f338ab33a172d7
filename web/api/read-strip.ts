/** The strip as one list of segments, each of one fate, in the order of the log. */
import { type Fields, readFields, readList, readNumber, readText } from "./fields.ts";
import { FATES, type Fate, type Segment, type Strip } from "./values.ts";

export function readStrip(value: unknown): Strip {
  const strip = readFields(value);
  const buckets = [...readList(strip.buckets), ...readList(strip.runs)].map(readFields);
  return {
    firstSeq: readNumber(strip.firstSeq),
    lastSeq: readNumber(strip.lastSeq),
    segments: buckets.flatMap(readBucket),
  };
}

/** A bucket holds a weight for each fate that its messages have; drawn one after the other they keep the scale. */
function readBucket(bucket: Fields): readonly Segment[] {
  const range = { firstSeq: readNumber(bucket.firstSeq), lastSeq: readNumber(bucket.lastSeq) };
  const parts = bucket.fates === undefined ? [bucket] : readList(bucket.fates).map(readFields);
  return parts.map((part) => ({
    ...range,
    fate: readFate(part.fate),
    messages: readNumber(part.messages),
    tokens: readNumber(part.tokens),
    shownTokens: readNumber(part.shownTokens),
  }));
}

export function readFate(value: unknown): Fate {
  const text = readText(value);
  return FATES.find((fate) => fate === text) ?? "verbatim";
}
