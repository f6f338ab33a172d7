/** Generates texts: prose and code, and rarely hostile ones. Every text shrinks toward a short plain sentence. */
import fc from "fast-check";
import { encodingTexts, markupTexts, randomBase64 } from "./hostile-texts.ts";
import { weighted } from "./weighted.ts";

export interface TextOptions {
  /** Maximum length in UTF-16 units. Texts of more than a page are rare. */
  readonly longestCharacters?: number | undefined;
}

/** Generates any text, including empty and blank ones. */
export function texts({ longestCharacters = 20_000 }: TextOptions = {}): fc.Arbitrary<string> {
  return weighted([
    [40, prose()],
    [10, code()],
    [8, hostileProse()],
    [3, fc.string({ unit: codePoints(), maxLength: 12 })],
    [3, brokenUnicode()],
    [2, fc.constantFrom("", " ", "\n", "\t \r\n", "\u00a0\u3000", "\ufeff")],
    [2, encoded()],
    [2, runs()],
    [1, pages(longestCharacters)],
  ]).map((text) => text.slice(0, longestCharacters));
}

/** Generates texts that are not blank, as providers require. */
export function spokenTexts(options: TextOptions = {}): fc.Arbitrary<string> {
  return texts(options).map((text) => (text.trim() === "" ? `ok${text}` : text));
}

/** Generates one to three plain sentences. */
export function prose(): fc.Arbitrary<string> {
  return fc.array(sentence(), { minLength: 1, maxLength: 3, size: "max" }).map((sentences) => sentences.join(" "));
}

function sentence(): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom(...WHO), fc.constantFrom(...DID), fc.constantFrom(...WHAT), fc.constantFrom(...ENDS))
    .map(([who, did, what, end]) => `${who} ${did} ${what}${end}`);
}

const WHO = ["We", "The build", "Ana", "小明", "The server on port 8080", "My colleague José", "Error E4012", "They"];
const DID = ["must keep", "moved", "decided on", "could not find", "will review", "changed", "asked about", "broke"];
const WHAT = [
  "the plan",
  "src/server/routes.ts",
  "order #A-20931",
  "three of the 1,204 rows",
  "the meeting of 2024-05-03 at 14:30",
  "https://example.com/docs?page=2#top",
  "€49.90 a month",
  "这个文件",
  "the naïve résumé 🙂",
  "`npm run build --watch`",
];
const ENDS = [".", "!", "?", ", and never before Friday.", " (see below).", " — don't forget.", ":\n- one\n- two"];

function code(): fc.Arbitrary<string> {
  return fc
    .array(fc.constantFrom(...LINES), { minLength: 1, maxLength: 6, size: "max" })
    .map((lines) => lines.join("\n"));
}

const LINES = [
  "export function add(left: number, right: number): number {",
  "  return left + right;",
  "}",
  '\tif err != nil { return fmt.Errorf("open %s: %w", path, err) }',
  'SELECT id, "name" FROM users WHERE age >= 21 ORDER BY id;',
  "    at Object.<anonymous> (/app/src/index.ts:14:9)",
  "diff --git a/notes.md b/notes.md",
  "-const limit = 10;",
  "+const limit = 0x1F4;",
  '{"status":"failed","exitCode":137}',
  "<div class='row'>&nbsp;</div>",
  "",
];

function hostileProse(): fc.Arbitrary<string> {
  const hostile = [...markupTexts(), ...encodingTexts()].map((text) => text.build());
  return fc
    .tuple(fc.constantFrom("", "before ", "one\n"), fc.constantFrom(...hostile), fc.constantFrom("", " after", "\n"))
    .map((pieces) => pieces.join(""));
}

const FIRST_SURROGATE = 0xd800;
const SURROGATES = 0x800;

/** Generates every code point except surrogates. fast-check's unit "binary" takes 1.5 s to build in every process. */
export function codePoints(): fc.Arbitrary<string> {
  return fc.nat({ max: 0x10ffff - SURROGATES }).map(
    (index) => String.fromCodePoint(index < FIRST_SURROGATE ? index : index + SURROGATES),
    (text) => {
      const code = typeof text === "string" ? text.codePointAt(0) : undefined;
      const isSurrogate = code !== undefined && code >= FIRST_SURROGATE && code < FIRST_SURROGATE + SURROGATES;
      if (code === undefined || isSurrogate || String.fromCodePoint(code) !== text)
        throw new Error("Not one code point.");
      return code < FIRST_SURROGATE ? code : code - SURROGATES;
    },
  );
}

/** Generates code units in any order, so that surrogates are alone or in wrong pairs. */
function brokenUnicode(): fc.Arbitrary<string> {
  const units = ["\ud83d", "\ude00", "\u0000", "\u0301", "\u202e", "\ufeff", "\u200d", "e", "中", " "];
  return fc.string({ unit: fc.constantFrom(...units), minLength: 1, maxLength: 8, size: "max" });
}

function encoded(): fc.Arbitrary<string> {
  return fc
    .tuple(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 1, max: 1_000 }), fc.boolean())
    .map(([length, seed, isUrl]) => `${isUrl ? "data:image/png;base64," : ""}${randomBase64(length, seed)}`);
}

function runs(): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom("a", " ", "中", "😀", "\n", "=", "é"), fc.integer({ min: 1, max: 300 }))
    .map(([unit, count]) => unit.repeat(count));
}

/** Generates long texts by repeating a short one, so that they are fast to generate and to shrink. */
function pages(longestCharacters: number): fc.Arbitrary<string> {
  const page = fc.oneof(prose(), code(), fc.constantFrom("a", "中", "😀", "0f"));
  return fc
    .tuple(page, fc.integer({ min: 1, max: Math.max(1, longestCharacters) }))
    .map(([text, length]) => `${text}\n`.repeat(Math.ceil(length / (text.length + 1))).slice(0, length));
}
