/**
 * The example Worker as deployed: bundled by its own configuration, and run in a real workerd with that configuration's
 * date, flags, variables and database.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { Miniflare } from "miniflare";
import { rolldown } from "rolldown";
import { repositoryRoot } from "./read-repository.ts";

export const workerFolder = join(repositoryRoot, "examples/worker");

export interface WorkerConfiguration {
  readonly main: string;
  readonly compatibility_date: string;
  readonly compatibility_flags: readonly string[];
  readonly d1_databases: readonly { readonly binding: string; readonly migrations_dir: string }[];
  readonly vars: Readonly<Record<string, string>>;
}

/** Reads wrangler.jsonc, without its comment lines and trailing commas. */
export function readConfiguration(): WorkerConfiguration {
  const text = readFileSync(join(workerFolder, "wrangler.jsonc"), "utf8");
  return JSON.parse(text.replaceAll(/^\s*\/\/.*$/gm, "").replaceAll(/,(?=\s*[}\]])/g, ""));
}

/** Bundles one module. Packages of other stores stay external, as if not installed. */
export async function bundleWorker({ main }: WorkerConfiguration): Promise<string> {
  const bundle = await rolldown({
    input: join(workerFolder, main),
    platform: "browser",
    external: [/^node:/, "pg", "pg-boss", "@opentelemetry/api"],
    resolve: {
      conditionNames: ["workerd", "worker", "browser", "import", "default"],
    },
    logLevel: "silent",
  });
  const { output } = await bundle.generate({ format: "esm", codeSplitting: false });
  await bundle.close();
  return output[0].code;
}

export interface StartOptions {
  readonly code: string;
  /** Folder of its database, which is kept over a restart. */
  readonly folder: string;
  readonly vars: Readonly<Record<string, string>>;
}

export function startWorker({ code, folder, vars }: StartOptions): Miniflare {
  const configuration = readConfiguration();
  return new Miniflare({
    modules: [{ type: "ESModule", path: "worker.js", contents: code }],
    compatibilityDate: configuration.compatibility_date,
    compatibilityFlags: [...configuration.compatibility_flags],
    d1Databases: configuration.d1_databases.map(({ binding }) => binding),
    d1Persist: folder,
    bindings: { ...configuration.vars, ...vars },
    // Drops the Worker's log.
    handleRuntimeStdio: (stdout: Readable, stderr: Readable) => {
      stdout.resume();
      stderr.resume();
    },
  });
}
