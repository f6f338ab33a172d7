/**
 * Prints a hash of everything that code derives from each of some invented conversations: summary, folds, verification
 * and topics. Two Node versions that print the same agree.
 */
import { createHash } from "node:crypto";
import { CONVERSATION_KINDS, writeConversation } from "../../bench/offline-speed/conversations.ts";
import type { Message } from "../../src/core/message/message.ts";
import { findTopicBoundaries, summarizeOffline, verifySummary } from "../../src/core/public/index.ts";
import type { SummaryRecord } from "../../src/core/summary/record/record.ts";
import { seededRandom } from "../../src/testing/seeded-random.ts";

const BYTES = 12_000;
const BUDGETS = [200, 1_500, 6_000];

/** Sentences with many scripts, Unicode properties, dates and names. */
const PIECES = [
  "Straße und Übung am 3. Mai 2024, ca. 12,5 % mehr.",
  "La reunión será el 4 de junio a las 14:30; ¿vienes?",
  "我们决定把预算提高到12,000元。明天再谈。",
  "会議は来週の金曜日です。資料はsrc/資料.tsにあります。",
  "اجتمعنا أمس وقررنا تأجيل الموعد إلى ٣ مايو.",
  "Naïve café 🙂👩‍👩‍👧 İstanbul ǅ ﬁne Σίσυφος ς.",
  "We decided to use src/ﬁle-ﬂow.ts, not İndex.ts, on Friday.",
  "You must never drop the table orders_2024 — it holds 3.141.592 rows.",
];

function aMixedTalk(seed: number): readonly Message[] {
  const random = seededRandom(seed);
  return Array.from({ length: 60 }, (_, index) => ({
    id: `m${index}`,
    role: index % 2 === 0 ? "user" : "assistant",
    saidAt: Date.UTC(2024, 3, 1) + index * 7_200_000,
    parts: [{ type: "text", text: Array.from({ length: 1 + random.integer(4) }, () => random.pick(PIECES)).join(" ") }],
  }));
}

function describeAll(messages: readonly Message[]): readonly unknown[] {
  const records = BUDGETS.map((budgetTokens) => summarizeOffline(messages, { budgetTokens }));
  let previous: SummaryRecord | undefined;
  for (let start = 0; start < messages.length; start += 20) {
    previous = summarizeOffline(messages.slice(start, start + 20), { budgetTokens: 800, previous });
  }
  const reports = records.map((record) => verifySummary(record, messages));
  return [records, previous, reports, findTopicBoundaries(messages, { minConfidence: 0.2 })];
}

const conversations = [
  ...CONVERSATION_KINDS.flatMap((kind) => [1, 2].map((seed) => writeConversation(kind, { bytes: BYTES, seed }))),
  ...[1, 2].map(aMixedTalk),
];
for (const messages of conversations) {
  console.log(
    createHash("sha256")
      .update(JSON.stringify(describeAll(messages)))
      .digest("hex"),
  );
}
