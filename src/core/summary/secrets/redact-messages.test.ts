/** Builds fake secrets at run time, so that no secret scanner reports this file. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { messageBuilder } from "../../../testing/builders.ts";
import { histories } from "../../../testing/generate-histories.ts";
import type { JsonValue } from "../../message/json.ts";
import type { Message, ToolOutput } from "../../message/message.ts";
import { estimate } from "../../tokens/estimate.ts";
import { summarizeOffline } from "../offline/summarize-offline.ts";
import { buildTranscript } from "../strategies/build-transcript.ts";
import { verifySummary } from "../verify/verify-summary.ts";
import { redactMessage } from "./redact-messages.ts";

const { aUserMessage, anAssistantMessage, aRound } = messageBuilder();
const PASSWORD = ["S3cret", "Pass99x"].join("");
const KEY = ["q9Xw2Lm8Zt4Rv6Yb", "1Nc3Kd5Hf7Jg0Ps2Ua4Ei6O"].join("");
const KEY_LINES = [7, 11, 13, 17].map((step) =>
  Array.from({ length: 64 }, (_, index) => KEY[(index * step + step) % 39]).join(""),
);
const border = (word: string): string => `${"-".repeat(5)}${word} PRIVATE KEY${"-".repeat(5)}`;
const PEM = [border("BEGIN"), ...KEY_LINES, border("END")];

const round = (input: JsonValue, output: string | ToolOutput = "ok", tool = "login"): readonly Message[] => [
  aUserMessage("Please log in and go on"),
  ...aRound([{ callId: "c1", tool, input, output }]),
  anAssistantMessage("Done, it is there."),
];
const json = (value: JsonValue): ToolOutput => ({ type: "json", value });

const filler = (characters: number): string =>
  "a line of words that go on\n".repeat(characters / 27 + 1).slice(0, characters);

const SHAPES: readonly (readonly [string, readonly Message[], readonly string[]])[] = [
  ["a password in a call", round({ username: "ana", password: PASSWORD }), [PASSWORD]],
  ["an API key in a call", round({ url: "https://example.com", apiKey: KEY }), [KEY]],
  ["an authorization header in a call", round({ headers: { Authorization: `Token ${KEY}` } }), [KEY]],
  ["an environment variable in a call", round({ env: { DB_PASSWORD: PASSWORD } }), [PASSWORD]],
  ["a password option in a command", round({ command: `login --password ${PASSWORD}` }, "ok", "bash"), [PASSWORD]],
  [
    "a password in an array of arguments",
    round({ command: ["login", "--password", PASSWORD] }, "ok", "bash"),
    [PASSWORD],
  ],
  [
    "a password in a to-do item",
    round({ todos: [{ content: `use password ${PASSWORD}`, status: "pending" }] }),
    [PASSWORD],
  ],
  ["a password in a result", round({ q: 1 }, json({ user: "ana", password: PASSWORD })), [PASSWORD]],
  ["a token in a result", round({ q: 1 }, json({ access_token: KEY, expires_in: 3_600 })), [KEY]],
  ["a private key in an array of lines", round({ q: 1 }, json({ lines: PEM })), KEY_LINES],
  [
    "a private key with numbered lines",
    round({ q: 1 }, PEM.map((line, at) => `${at + 1}→${line}`).join("\n")),
    KEY_LINES,
  ],
  ...[90, 270].map(
    (offset) =>
      [
        `a private key ${offset} characters before the cut of a long output`,
        round({ q: 1 }, `${filler(60_000)}\n${PEM.join("\n")}\n${filler(24_000 - offset)}`),
        KEY_LINES,
      ] as const,
  ),
];

const holds = (text: string, secrets: readonly string[]): boolean =>
  secrets.some((secret) => text.includes(secret) || (secret.length > 40 && text.includes(secret.slice(10, 40))));

describe("redactMessage", () => {
  test("redacts a private key that is longer than a piece of a split text, at any offset", () => {
    const body = Array.from({ length: 190 }, (_, line) =>
      Array.from({ length: 64 }, (_, index) => KEY[(index * (line + 2) + line * 5) % 39]).join(""),
    );
    for (let offset = 0; offset < 9_000; offset += 1_500) {
      const key = [border("BEGIN"), ...body, border("END")].join("\n");
      const message = aUserMessage(`${filler(16_000 + offset)}\n${key}\n${filler(20_000)}`);
      expect(holds(JSON.stringify(redactMessage(message)), body)).toBe(false);
    }
  });

  test.each(SHAPES)("keeps %s out of summaries, facts and requests", (_, messages, secrets) => {
    for (const budgetTokens of [200, 20_000]) {
      const record = summarizeOffline(messages, { budgetTokens });
      expect(holds(JSON.stringify(record), secrets)).toBe(false);
      expect(verifySummary(record, messages).unsupported).toEqual([]);
    }
    const { text } = buildTranscript(messages, { nonce: "0123456789abcdef", counter: estimate });
    expect(holds(text, secrets)).toBe(false);
  });

  test("redacts a signed URL in the label of a source", () => {
    const url = `https://files.example/a.pdf?X-Amz-Signature=${KEY}`;
    const message = anAssistantMessage("", { parts: [{ type: "source", id: "s1", url }] });
    const { text } = buildTranscript([message], { nonce: "0123456789abcdef", counter: estimate });
    expect(text).toContain("https://files.example/a.pdf?X-Amz-Signature= secret:url-token:");
    expect(text).not.toContain(KEY.slice(0, 10));
  });

  test("lets verification report a password that a summary copies from a tool call", () => {
    const messages = round({ username: "ana", password: PASSWORD });
    const { unsupported } = verifySummary(`ana logged in with ${PASSWORD}.`, messages);
    expect(unsupported.map(({ text }) => text)).toEqual([PASSWORD]);
  });

  test("returns the same object for a message without secrets, and changes nothing the second time", () => {
    fc.assert(
      fc.property(histories(), (messages) => {
        for (const message of messages) {
          const redacted = redactMessage(message);
          expect(redactMessage(redacted)).toBe(redacted);
          expect(redacted.id).toBe(message.id);
        }
      }),
      { numRuns: Math.ceil(propertyRuns() / 40) },
    );
    const plain = aUserMessage("nothing to hide");
    expect(redactMessage(plain)).toBe(plain);
  });
});
