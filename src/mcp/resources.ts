/** The resources of the MCP server: each session as a transcript, and its summary. */
import type { McpServer, ResourceTemplate, Variables } from "@modelcontextprotocol/server";
import type { Client } from "../client/index.ts";
import { escapeControls, toLine } from "./plain-text.ts";
import { describeSession, readLiveSummary, readTranscript } from "./read-session.ts";

const LISTED_SESSIONS = 100;
const TRANSCRIPT_MESSAGES = 200;
const MIME = "text/plain";

export function addResources(server: McpServer, client: Client, Template: typeof ResourceTemplate): void {
  const list = async () => {
    const { sessions } = await client.listSessions({ query: { limit: LISTED_SESSIONS } });
    return {
      resources: sessions.map((info) => ({
        uri: `palimpsest://sessions/${encodeURIComponent(info.id)}`,
        name: toLine(info.title ?? info.id),
        description: describeSession(info),
        mimeType: MIME,
      })),
    };
  };
  server.registerResource(
    "session",
    new Template("palimpsest://sessions/{id}", { list }),
    { title: "Session", description: "The newest messages of a session.", mimeType: MIME },
    async (uri, variables) => {
      const text = await readTranscript(client, readId(variables), { limit: TRANSCRIPT_MESSAGES });
      return { contents: [{ uri: uri.href, mimeType: MIME, text: escapeControls(text) }] };
    },
  );
  server.registerResource(
    "summary",
    new Template("palimpsest://sessions/{id}/summary", { list: undefined }),
    { title: "Summary", description: "The summary that the model of a session sees.", mimeType: MIME },
    async (uri, variables) => {
      const text = (await readLiveSummary(client, readId(variables))) ?? "Nothing of this session is summarized yet.";
      return { contents: [{ uri: uri.href, mimeType: MIME, text: escapeControls(text) }] };
    },
  );
}

function readId({ id = "" }: Variables): string {
  return decodeURIComponent(Array.isArray(id) ? (id[0] ?? "") : id);
}
