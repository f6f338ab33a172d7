/** Serves a session in which a summary hides a fact, so that a question about it recalls the fact. */
import type { PageStage } from "./page-stage.ts";
import type { ProviderScript } from "./scripted-provider.ts";
import type { StartedChat } from "./start-chat.ts";

const SUBJECTS = ["rope", "paint", "engine", "sail", "anchor", "ladder", "lantern", "bucket", "hammer", "winch"];

export async function serveRecall(stage: Pick<PageStage, "serve">, script: ProviderScript): Promise<StartedChat> {
  const engine = { budgetTokens: 3_000, policy: { recall: { enabled: true } } } as const;
  const chat = await stage.serve({ script, engine });
  const fact = "The spare key of the boat shed hangs behind the blue barrel.";
  const talk = Array.from({ length: 40 }, (_, index) => ({
    id: `m${index}`,
    role: index % 2 === 0 ? "assistant" : "user",
    content: `Today I looked after the ${SUBJECTS[index % 10]} and wrote it into the book. `.repeat(5),
  }));
  await chat.server.ask("POST", "/api/sessions", { id: "talk", title: "The boat shed" });
  const messages = [{ id: "fact", role: "user", content: fact }, ...talk];
  await chat.server.ask("POST", "/api/sessions/talk/messages", { messages });
  return chat;
}
