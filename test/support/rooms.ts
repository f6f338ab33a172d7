/**
 * The rooms of `src` and their allowed imports, as in the design. A room may import itself and the rooms of its row;
 * type imports count. A change of this table needs a decision record.
 */
export interface RoomRule {
  readonly rooms: readonly string[];
  /** Rooms from which only types may be imported. */
  readonly typesOf: readonly string[];
  readonly packages: "any" | "none";
  readonly builtins: "any" | readonly string[];
  readonly because: string;
}

/**
 * Inside core, each folder may import those before it. `errors` and `check-options` are files; `public` is the entry
 * point `palimpsest/core`.
 */
export const coreOrder: readonly string[] = [
  "errors",
  "language",
  "check-value",
  "check-options",
  "message",
  "sections",
  "tokens",
  "budget",
  "topics",
  "summary",
  "recall",
  "log",
  "plan",
  "prompt",
  "public",
];

const adapterRooms = [
  "policies",
  "counters",
  "summarizers",
  "models",
  "stores",
  "jobs",
  "workspace",
  "importers",
  "telemetry",
] as const;

const adapter: RoomRule = {
  rooms: ["core", "ports"],
  typesOf: [],
  packages: "any",
  builtins: "any",
  because: "an adapter imports core and ports only",
};

const innerRooms = ["core", "ports", "engine", ...adapterRooms, "protocol", "client", "sample", "mcp", "replay"];

export const rooms: Readonly<Record<string, RoomRule>> = {
  core: {
    rooms: [],
    typesOf: [],
    packages: "none",
    builtins: ["node:crypto"],
    because: "core is pure: it imports itself and node:crypto only",
  },
  ports: {
    rooms: [],
    typesOf: ["core"],
    packages: "none",
    builtins: [],
    because: "ports hold interfaces and the runner of stepwise work: they import types of core and nothing else",
  },
  engine: {
    rooms: ["core", "ports"],
    typesOf: [],
    packages: "none",
    builtins: ["node:crypto"],
    because: "the engine imports core and ports only, and reaches everything else through ports",
  },
  ...Object.fromEntries(adapterRooms.map((room) => [room, adapter])),
  integrations: {
    rooms: ["core", "ports"],
    typesOf: ["engine"],
    packages: "any",
    builtins: [],
    because: "an integration receives its sessions: it imports core, ports and types of the engine only",
  },
  sample: {
    rooms: ["core"],
    typesOf: [],
    packages: "none",
    builtins: [],
    because: "the sample conversation is a value: it imports core only",
  },
  replay: {
    rooms: ["core", "ports"],
    typesOf: ["engine", "policies"],
    packages: "none",
    builtins: ["node:crypto"],
    because: "a replay opens its engine through a function that it gets: it imports core, ports and types only",
  },
  protocol: {
    rooms: ["core"],
    typesOf: [],
    packages: "any",
    builtins: "any",
    because: "the protocol imports core only",
  },
  client: {
    rooms: ["protocol", "core/check-value"],
    typesOf: ["core"],
    packages: "any",
    builtins: [],
    because: "the client runs in browsers: it imports the protocol, core/check-value and types of core only",
  },
  mcp: {
    rooms: ["core"],
    typesOf: ["client"],
    packages: "any",
    builtins: [],
    because: "the MCP server does what a client may do: it imports core and types of the client only",
  },
  server: {
    rooms: ["engine", "protocol", "core", "ports"],
    typesOf: [],
    packages: "any",
    builtins: "any",
    because: "the server translates and delegates: it imports engine, protocol, core and ports only",
  },
  compat: {
    rooms: ["engine", "protocol", "core", "ports", "server"],
    typesOf: [],
    packages: "any",
    builtins: "any",
    because:
      "compat has the code that only a preset's document requires; it may import the server, and only compose and index import it",
  },
  cli: {
    rooms: [...innerRooms, "server", "compose", "index"],
    typesOf: [],
    packages: "any",
    builtins: "any",
    because: "the command line does not import testing, integrations, compat or the page",
  },
  compose: {
    rooms: [...innerRooms, "server", "compat"],
    typesOf: [],
    packages: "any",
    builtins: "any",
    because: "compose.ts does not import integrations, the command line, index, the page or testing",
  },
  index: {
    rooms: [...innerRooms, "compat", "compose"],
    typesOf: [],
    packages: "none",
    builtins: [],
    because: "index.ts is the public entry point: it exports from rooms and has no code of its own",
  },
  testing: {
    rooms: [...innerRooms, "server", "cli", "compose", "index"],
    typesOf: [],
    packages: "any",
    builtins: "any",
    because: "testing may import anything",
  },
  web: {
    rooms: ["client", "protocol"],
    typesOf: [],
    packages: "any",
    builtins: "any",
    because:
      "the page imports client and protocol only; types of sessions, prompts and messages come from web/api/values.ts",
  },
};

/** Imports of package.json, and the file that each stands for outside of Node. */
export const ownImports: Readonly<Record<string, string>> = { "#sha256": "src/core/message/sha256.ts" };

/** Other files that may import compose.ts to start the server. */
export const mayCompose: readonly string[] = [
  "src/server/start.ts",
  "src/server/server-options.ts",
  "src/server/app/mount-mcp.ts",
];

/** Entry points that must not load packages statically, so that importing them stays cheap. */
export const lightEntryPoints: readonly string[] = ["src/index.ts", "src/core/public/index.ts", "src/ports/index.ts"];
