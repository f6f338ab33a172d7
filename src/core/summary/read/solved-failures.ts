/**
 * Commands that failed and later ran without failing: the line of the second run says what went wrong in the first one
 * and which files were changed in between, because that is how the failure was solved. Two runs are of the same command
 * where they are the same up to what is done with its output.
 */
import type { MessageId } from "../../message/message.ts";

interface RunCommand {
  readonly command: string;
  /** What went wrong, where it failed. */
  readonly error?: string | undefined;
  readonly messageIds: readonly MessageId[];
}

export interface SolvedFailure {
  /** For the end of a line. */
  readonly text: string;
  readonly messageIds: readonly MessageId[];
}

export interface FailureBook {
  /** A file was changed, by this name. */
  noteChange(file: string): void;
  /** How an earlier failure of the same command was solved, where this run shows that it was. */
  noteRun(run: RunCommand): SolvedFailure | undefined;
}

interface Failure {
  readonly error: string;
  readonly messageIds: readonly MessageId[];
  readonly changed: Set<string>;
}

/** Failures that wait to be solved; the oldest are forgotten. */
const MOST_FAILURES = 40;
const MOST_FILES = 4;
const LONGEST_ERROR = 100;

export function createFailureBook(): FailureBook {
  const open = new Map<string, Failure>();
  return {
    noteChange(file) {
      for (const { changed } of open.values()) if (changed.size < MOST_FILES) changed.add(file);
    },
    noteRun({ command, error, messageIds }) {
      const key = withoutOutput(command);
      const failure = open.get(key);
      open.delete(key);
      if (error !== undefined) {
        open.set(key, { error, messageIds, changed: failure?.changed ?? new Set() });
        const [oldest] = open.keys();
        if (open.size > MOST_FAILURES && oldest !== undefined) open.delete(oldest);
        return undefined;
      }
      return failure === undefined ? undefined : { text: describe(failure), messageIds: failure.messageIds };
    },
  };
}

/** `npm test 2>&1 | tail -5` and `npm test` are one command. */
function withoutOutput(command: string): string {
  return command.split(/\s(?:2?>|\|)/, 1)[0]?.trim() ?? command;
}

function describe({ error, changed }: Failure): string {
  const said = error.length <= LONGEST_ERROR ? error : undefined;
  const why = said === undefined || said === "" ? "it had failed before" : `it had failed: ${said}`;
  return changed.size === 0 ? why : `${why}; changed since then: ${[...changed].join(" ")}`;
}
