/**
 * Real text to compare counters on, if the data folder is next to the repository: spoken meetings, the output of coding
 * agents' tools, and recorded conversations as JSON. It is read and measured, never copied.
 */
import { existsSync, globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { TextSample } from "./generate-samples.ts";

const DATA = fileURLToPath(new URL("../../../shared/data/", import.meta.url));
const CHARACTERS = 600_000;

export function readDataSamples(): readonly TextSample[] {
  if (!existsSync(DATA)) return [];
  const samples: readonly TextSample[] = [
    { kind: "prose", source: "data", text: join(readEach("qmsum/val/*.json").map(readMeeting)) },
    { kind: "code", source: "data", text: join(readEach("claude-code/*.jsonl").flatMap(readToolOutputs)) },
    { kind: "json", source: "data", text: join(readEach("tau-bench/*.json*")) },
  ];
  return samples.filter(({ text }) => text.length > 10_000);
}

function readEach(pattern: string): readonly string[] {
  return globSync(pattern, { cwd: DATA })
    .toSorted()
    .map((file) => readFileSync(`${DATA}${file}`, "utf8"));
}

function join(texts: readonly string[]): string {
  return texts.join("\n").slice(0, CHARACTERS);
}

function readMeeting(json: string): string {
  const turns = fieldOf(parse(json), "meeting_transcripts");
  if (!Array.isArray(turns)) return "";
  return turns.map((turn) => `${fieldOf(turn, "speaker")}: ${fieldOf(turn, "content")}`).join("\n");
}

function readToolOutputs(jsonl: string): readonly string[] {
  return jsonl.split("\n").flatMap((line) => {
    const content = fieldOf(fieldOf(parse(line), "message"), "content");
    if (!Array.isArray(content)) return [];
    const outputs = content
      .filter((part) => fieldOf(part, "type") === "tool_result")
      .map((part) => fieldOf(part, "content"));
    return outputs.filter((output) => typeof output === "string");
  });
}

/** Logs have broken lines, which a sample leaves out. */
function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
