/** Checks Node, the home folder and the port. */
import { constants, type Stats } from "node:fs";
import { access, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { readRequiredNodeVersion, refuseOldNode } from "../terminal/node-process.ts";
import { explainError } from "../terminal/terminal-text.ts";
import { badFinding, type Finding, goodFinding, warningFinding } from "./finding.ts";

const OTHERS = 0o077;

export function examineNode(): Finding {
  const [found, refusal] = [process.versions.node, refuseOldNode()];
  if (refusal === undefined) return goodFinding("node", `Node ${found}`);
  return badFinding(
    "node",
    `Node ${found}, but ${readRequiredNodeVersion()} is needed`,
    "Install a newer Node from nodejs.org.",
  );
}

export async function examineHome(home: string): Promise<Finding> {
  let found: Stats;
  try {
    found = await stat(home);
    await access(home, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    if (isMissing) return warningFinding("home", `${home} does not exist yet`, "palimpsest serve creates it.");
    const advice = "Change its permissions, or choose another folder with PALIMPSEST_HOME.";
    return badFinding("home", `${home} cannot be used: ${explainError(error)}`, advice);
  }
  if (!found.isDirectory())
    return badFinding("home", `${home} is not a folder`, "Choose another with PALIMPSEST_HOME.");
  if (process.platform === "win32" || (found.mode & OTHERS) === 0)
    return goodFinding("home", `${home}; only you can read it`);
  return warningFinding("home", `${home} can be read by other users`, `Run: chmod 700 ${home}`);
}

export async function examinePort(host: string, port: number): Promise<Finding> {
  const code = await tryPort(host, port);
  if (code === undefined) return goodFinding("port", `${port} on ${host} is free`);
  const advice = "Choose another with --port.";
  if (code !== "EADDRINUSE") return badFinding("port", `${port} on ${host} cannot be used (${code})`, advice);
  if (await isOurs(host, port)) return goodFinding("port", `${port} on ${host} is in use by a palimpsest server`);
  return badFinding("port", `${port} on ${host} is in use by another program`, advice);
}

function tryPort(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}

const TIMEOUT_MS = 3_000;

async function isOurs(host: string, port: number): Promise<boolean> {
  const name = host.includes(":") ? `[${host}]` : host;
  try {
    const response = await fetch(`http://${name}:${port}/health`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    // A server with tokens refuses the request, but sends the same header.
    return response.headers.has("x-request-id") && [200, 401, 503].includes(response.status);
  } catch {
    return false;
  }
}
