/**
 * The session that a command works with: of a store, through an engine that is set up as the server's is, or of a server
 * that runs somewhere, through the client. Commands ask both in the same way.
 */
import type { CompactionPreview, CompactOutcome, NotCompacted } from "../engine/compaction/manual-compaction.ts";
import type { SeenAs } from "../engine/context/prompt-request.ts";
import type { Palimpsest } from "../engine/palimpsest.ts";
import type { Prompt } from "../engine/prompt/prompt.ts";
import type { Session } from "../engine/session/session.ts";
import { OFFLINE_MODEL_ID } from "../models/offline-model.ts";
import type { CommandOption, Invocation } from "./command.ts";
import { findServer, SERVER_OPTIONS } from "./conversations.ts";
import { ENGINE_OPTIONS, readEngineSetup } from "./engine-setup.ts";
import { withStored } from "./open-for.ts";

/** What a model would see now. */
export type SeenView = Pick<Prompt, "instructions" | "messages"> & Pick<Prompt["report"], "tokens" | "limitTokens">;
/** What can only be done with a preview where it was made is no part of it. */
export type ShownPreview = Omit<CompactionPreview, "edit" | "apply">;

type SameVerbs = Pick<
  Session,
  "id" | "message" | "entries" | "explain" | "plan" | "figures" | "getSummaryHistory" | "undo"
>;

export interface OneSession extends SameVerbs {
  view(): Promise<SeenView>;
  compact(instructions: string | undefined): Promise<CompactOutcome>;
  preview(instructions: string | undefined): Promise<ShownPreview | NotCompacted>;
}

export const SESSION_OPTIONS: Readonly<Record<string, CommandOption>> = { ...SERVER_OPTIONS, ...ENGINE_OPTIONS };

export interface SessionRequest {
  readonly id: string;
  /** Whether what is wrong with the models that were found matters here. */
  readonly writesSummaries?: boolean | undefined;
}

/** Over a server the policy, the models and the window are the server's: nothing is read here. */
export async function withSession<Result>(
  invocation: Invocation,
  { id, writesSummaries = false }: SessionRequest,
  use: (session: OneSession) => Promise<Result>,
): Promise<Result> {
  const server = findServer(invocation);
  if (server !== undefined) {
    const { openRemoteSession } = await import("./remote-session.ts");
    return use(openRemoteSession(server, id));
  }
  const { engine, found } = await readEngineSetup(invocation);
  for (const complaint of writesSummaries ? found.complaints : []) invocation.terminal.note(complaint);
  return withStored(
    invocation,
    async (palimpsest) => {
      const session = await palimpsest.load(id);
      return use(openStored(session, await findLastPromptOptions(palimpsest, session)));
    },
    engine,
  );
}

/** As it was last prompted: for the model that it was prompted for, the sample with its instructions and its window. */
async function findLastPromptOptions(engine: Palimpsest, session: Session): Promise<SeenAs> {
  const { loadSample } = await import("../compose.ts");
  const { createFindDefaults } = await import("../server/prompts/prompt-defaults.ts");
  const defaults = await createFindDefaults(loadSample)({ tenant: { id: "", engine }, sessionId: session.id }, {});
  const [last] = await session.entries({ types: ["request"], newestFirst: true, limit: 1 });
  const model = last?.type === "request" ? last.model : undefined;
  // The offline model answers where there is no other, so a session has not chosen it.
  return model === undefined || model === OFFLINE_MODEL_ID ? defaults : { ...defaults, model };
}

function openStored(session: Session, as: SeenAs): OneSession {
  return {
    id: session.id,
    message: (messageId) => session.message(messageId),
    entries: (range) => session.entries(range),
    explain: (messageId) => session.explain(messageId, as),
    plan: () => session.plan(as),
    figures: () => session.figures(as),
    getSummaryHistory: () => session.getSummaryHistory(),
    undo: (entryId) => session.undo(entryId),
    view: async () => {
      const { instructions, messages, report } = await session.prompt({ ...as, preview: true });
      return { instructions, messages, tokens: report.tokens, limitTokens: report.limitTokens };
    },
    compact: (instructions) => session.compact({ instructions, as }),
    preview: (instructions) => session.compact({ instructions, as, preview: true }),
  };
}
