/** The names of the session files of other tools that an import reads, besides lists of messages (`FORMAT_NAMES`). */
import { FORMAT_NAMES, type FormatName } from "./format.ts";

export const TOOL_FORMATS = [
  "claude-code",
  "codex",
  "gemini-cli",
  "opencode",
  "pi",
  "cline",
  "copilot-cli",
  "copilot-chat",
  "aider",
  "chatgpt",
  "claude-ai",
  "librechat",
  "tau-bench",
] as const;

export type ToolFormatName = (typeof TOOL_FORMATS)[number];
export type TranscriptFormatName = ToolFormatName | FormatName;

export const TRANSCRIPT_FORMATS: readonly TranscriptFormatName[] = [...TOOL_FORMATS, ...FORMAT_NAMES];

/** Formats in which a session can be exported. The others cannot hold calls and their results. */
export const EXPORT_FORMATS = [
  "claude-code",
  "codex",
  "gemini-cli",
  "opencode",
  "pi",
  "cline",
  "aider",
  "claude-ai",
  ...FORMAT_NAMES,
] as const satisfies readonly TranscriptFormatName[];

export type ExportFormatName = (typeof EXPORT_FORMATS)[number];
