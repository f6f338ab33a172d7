/** The table of formats. They are tried in the order of `TOOL_FORMATS`. */
import { FORMAT_NAMES } from "../core/message/formats/format.ts";
import { TOOL_FORMATS, type ToolFormatName } from "../core/message/formats/tool-formats.ts";
import { claudeCodeFormat } from "./claude-code/claude-code.ts";
import { codexFormat } from "./codex/codex.ts";
import { aiderFormat } from "./formats/aider.ts";
import { chatGptFormat } from "./formats/chatgpt.ts";
import { claudeAiFormat } from "./formats/claude-ai.ts";
import { clineFormat } from "./formats/cline.ts";
import { copilotChatFormat } from "./formats/copilot-chat.ts";
import { copilotCliFormat } from "./formats/copilot-cli.ts";
import { geminiCliFormat } from "./formats/gemini-cli.ts";
import { libreChatFormat } from "./formats/librechat.ts";
import { opencodeFormat } from "./formats/opencode.ts";
import { piFormat } from "./formats/pi.ts";
import { tauBenchFormat } from "./formats/tau-bench.ts";
import type { FileSample, TranscriptFormat } from "./shared/format.ts";

export const TOOL_READERS: Readonly<Record<ToolFormatName, TranscriptFormat>> = {
  "claude-code": claudeCodeFormat,
  codex: codexFormat,
  "gemini-cli": geminiCliFormat,
  opencode: opencodeFormat,
  pi: piFormat,
  cline: clineFormat,
  "copilot-cli": copilotCliFormat,
  "copilot-chat": copilotChatFormat,
  aider: aiderFormat,
  chatgpt: chatGptFormat,
  "claude-ai": claudeAiFormat,
  librechat: libreChatFormat,
  "tau-bench": tauBenchFormat,
};

/** Returns the format that recognizes the beginning of a file. */
export function findFormat(sample: FileSample): TranscriptFormat | undefined {
  return TOOL_FORMATS.map((name) => TOOL_READERS[name]).find((format) => format.recognize(sample));
}

/** For errors and help: what an import accepts. */
export function listFormats(): string {
  const tools = TOOL_FORMATS.map((name) => TOOL_READERS[name].title);
  return `${tools.join("; ")}; and lists of messages as JSON or JSONL in the formats ${FORMAT_NAMES.join(", ")}`;
}
