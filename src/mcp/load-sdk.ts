/** Loads the official SDK when an MCP server is created. It is an optional dependency. */
import { PalimpsestError } from "../core/errors.ts";

const NAME = "@modelcontextprotocol/server";

export const loadSdk = () => load(() => import("@modelcontextprotocol/server"));
export const loadStdio = () => load(() => import("@modelcontextprotocol/server/stdio"));

async function load<Sdk>(importSdk: () => Promise<Sdk>): Promise<Sdk> {
  try {
    return await importSdk();
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND")) throw error;
    const text = `mcp: the package ${NAME} is not installed. Run: npm install ${NAME}@2`;
    throw new PalimpsestError("config-invalid", text, { cause: error, details: { key: "mcp" } });
  }
}
