/** Runs a CLI command in this process and returns both outputs and the exit code. */
import { runCli } from "../../src/cli/run-cli.ts";

export interface CommandEnd {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export async function runCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<CommandEnd> {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await runCli(args, {
    print: async (line) => void out.push(`${line}\n`),
    note: (line) => void err.push(`${line}\n`),
    environment,
    endings: () => new AbortController().signal,
  });
  return { code, out: out.join(""), err: err.join("") };
}
