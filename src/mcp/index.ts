/** `palimpsest/mcp`: sessions as tools, resources and prompts of the Model Context Protocol. */
export { createMcpServer, type McpServerOptions } from "./create-mcp-server.ts";
