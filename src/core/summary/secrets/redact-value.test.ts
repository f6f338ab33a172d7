/** Builds fake secrets at run time, so that no secret scanner reports this file. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { jsonValues } from "../../../testing/generate-json.ts";
import type { JsonValue } from "../../message/json.ts";
import { redactValue } from "./redact-value.ts";

const WORD = ["correct", "horse"].join("");
const KEY = ["q9Xw2Lm8Zt4Rv6Yb", "1Nc3Kd5Hf7Jg0Ps2Ua4Ei6O"].join("");
const redacted = (value: JsonValue): string => JSON.stringify(redactValue(value));

describe("redactValue", () => {
  test.each<readonly [string, JsonValue, string]>([
    ["a password that is a word", { username: "ana", password: WORD }, WORD],
    ["a password in a variable whose name ends in PASSWORD", { env: { DB_PASSWORD: WORD } }, WORD],
    ["a password of two words in a field with a short name", { pw: "correct horse" }, "correct horse"],
    ["a password of digits", { passcode: 48_151_623 }, "48151623"],
    ["passwords in an array", { passwords: [WORD], password: [WORD] }, `"password":["${WORD}`],
    ["an API key", { url: "https://example.com", apiKey: KEY }, KEY],
    ["an access token in a response", { token_type: "bearer", access_token: KEY, expires_in: 3_600 }, KEY],
    ["a client secret", { client_id: "app", client_secret: KEY }, KEY],
    ["an authorization header", { headers: { Authorization: `Token ${KEY}` } }, KEY],
    ["a password in a name-value pair", { env: [{ name: "SMTP_PASSWORD", value: WORD }] }, WORD],
    ["a password after its command-line option", { command: ["login", "--password", WORD] }, WORD],
    ["a password in prose", { note: `the password is ${KEY.slice(0, 12)}` }, KEY.slice(0, 12)],
  ])("replaces %s", (_, value, secret) => {
    expect(redacted(value)).not.toContain(secret);
    expect(redacted(value)).toMatch(/\[secret:[a-z-]+:[0-9a-f]{6}\]/);
  });

  test("gives a password in a field the same token as in a text", () => {
    const secret = ["S3cret", "Pass99x"].join("");
    const token = /\[secret:password:[0-9a-f]{6}\]/.exec(redacted({ password: secret }))?.[0] ?? "none";
    expect(redactValue(`password: ${secret}`)).toBe(`password: ${token}`);
  });

  test("keeps the value around a secret", () => {
    const value = { headers: { Authorization: `Bearer ${KEY}`, Accept: "text/plain" }, retries: 3, body: null };
    expect(redactValue(value)).toEqual({
      headers: {
        Authorization: expect.stringMatching(/^Bearer \[secret:[a-z-]+:[0-9a-f]{6}\]$/),
        Accept: "text/plain",
      },
      retries: 3,
      body: null,
    });
  });

  test("replaces a private key whose lines are items of an array or fields of items", () => {
    const border = (word: string) => `${"-".repeat(5)}${word} RSA PRIVATE KEY${"-".repeat(5)}`;
    const body = [7, 11, 13].map((step) => Array.from({ length: 64 }, (_, index) => KEY[(index * step) % 39]).join(""));
    const lines = ["# key", border("BEGIN"), ...body, border("END"), "# end"];
    const found = redactValue({ lines, rows: lines.map((text, index) => ({ number: index + 1, text })) });
    for (const line of body) expect(JSON.stringify(found)).not.toContain(line.slice(10, 40));
    expect(found).toMatchObject({
      lines: ["# key", expect.stringMatching(/^\[secret:private-key:[0-9a-f]{6}\]$/), "", "", "", "", "# end"],
      rows: { 6: { number: 7, text: "# end" } },
    });
  });

  test("returns the value itself if it has no secret", () => {
    const values: readonly JsonValue[] = [
      { password: "string", newPassword: "required", passwordHint: "the dog", password2: "" },
      { password: "$" + "{DB_PASSWORD}", apiKey: "process.env.API_KEY", secret: "<your secret>" },
      { token: "the", tokens: 128, maxTokens: 4_096, nextPageToken: "CAUQAA9xYz12345678", key: "name" },
      { commit: "3f786850e387550fdab836ed7e6dc881de23001b", id: "123e4567-e89b-12d3-a456-426614174000" },
      { pwd: "/home/ana/shop2", secretName: "db-credentials-1", credentials: "include", cookie: "accepted" },
      { properties: { password: { type: "string", description: "The user's password" } }, required: ["password"] },
      ["--verbose", "--password"],
    ];
    for (const value of values) expect(redactValue(value)).toBe(value);
  });

  test("handles a value that is nested 50,000 levels deep", () => {
    let value: JsonValue = { password: WORD };
    for (let depth = 0; depth < 50_000; depth += 1) value = [value];
    let found = redactValue(value);
    for (let depth = 0; depth < 50_000; depth += 1) found = (found as readonly JsonValue[])[0] ?? null;
    expect(found).toEqual({ password: expect.stringContaining("[secret:password:") });
  });

  test("changes nothing the second time, and never mutates its argument", () => {
    const fields = fc.dictionary(fc.constantFrom("password", "token", "apiKey", "note", "__proto__"), jsonValues());
    fc.assert(
      fc.property(fc.oneof(jsonValues(), fields), (value) => {
        const before = structuredClone(value);
        const once = redactValue(value as JsonValue);
        expect(redactValue(once)).toEqual(once);
        expect(value).toEqual(before);
      }),
      { numRuns: Math.ceil(propertyRuns() / 4) },
    );
  });
});
