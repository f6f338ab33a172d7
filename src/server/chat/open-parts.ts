/** The parts of a round that have started and not ended. They are closed when the round ends early. */
import type { UIMessageChunk } from "ai";

interface OpenCall {
  readonly toolName: string;
  readonly dynamic?: boolean | undefined;
  input: unknown;
  hasInput: boolean;
}

export class OpenParts {
  readonly #texts = new Map<string, "text-end" | "reasoning-end">();
  readonly #calls = new Map<string, OpenCall>();
  #hasOutput = false;

  /** True if anything visible arrived. */
  get hasOutput(): boolean {
    return this.#hasOutput;
  }

  /** Returns true if a tool of the host is running. */
  isCalling(runs: (toolName: string) => boolean): boolean {
    return [...this.#calls.values()].some(({ hasInput, toolName }) => hasInput && runs(toolName));
  }

  add(chunk: UIMessageChunk): void {
    this.#hasOutput ||= !SILENT.has(chunk.type);
    if (chunk.type === "text-start") this.#texts.set(chunk.id, "text-end");
    else if (chunk.type === "reasoning-start") this.#texts.set(chunk.id, "reasoning-end");
    else if (chunk.type === "text-end" || chunk.type === "reasoning-end") this.#texts.delete(chunk.id);
    else this.#addCall(chunk);
  }

  #addCall(chunk: UIMessageChunk): void {
    if (chunk.type === "tool-input-start") {
      const { toolCallId, toolName, dynamic } = chunk;
      this.#calls.set(toolCallId, { toolName, dynamic, input: {}, hasInput: false });
    } else if (chunk.type === "tool-input-available") {
      const { toolCallId, toolName, dynamic, input } = chunk;
      this.#calls.set(toolCallId, { toolName, dynamic, input, hasInput: true });
    } else if ("toolCallId" in chunk && ENDS.has(chunk.type) && !("preliminary" in chunk && chunk.preliminary)) {
      this.#calls.delete(chunk.toolCallId);
    }
  }

  /** Returns the chunks that end the open parts, with the same error for every call. */
  closing(errorText: string): readonly UIMessageChunk[] {
    const texts = [...this.#texts].map(([id, type]): UIMessageChunk => ({ type, id }));
    const calls = [...this.#calls].map(([toolCallId, { toolName, dynamic, input, hasInput }]): UIMessageChunk => {
      const kind = dynamic === undefined ? {} : { dynamic };
      return hasInput
        ? { type: "tool-output-error", toolCallId, errorText, ...kind }
        : { type: "tool-input-error", toolCallId, toolName, input, errorText, ...kind };
    });
    return [...texts, ...calls];
  }
}

const SILENT: ReadonlySet<string> = new Set(["start-step", "finish-step", "message-metadata"]);
const ENDS: ReadonlySet<string> = new Set([
  "tool-input-error",
  "tool-output-available",
  "tool-output-error",
  "tool-output-denied",
  "tool-approval-request",
]);
