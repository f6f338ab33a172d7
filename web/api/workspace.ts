/** Files and pages that stand beside a conversation. */
import { client } from "./client.ts";
import { findText, readFields, readList, readNumber, readText, readTexts } from "./fields.ts";
import type { Workspace } from "./values.ts";

export async function loadWorkspace(id: string, signal?: AbortSignal): Promise<Workspace> {
  const { files, links, tree } = await client.readWorkspace({ params: { id }, signal });
  return {
    files: readList(files).map((value) => {
      const file = readFields(value);
      return {
        path: readText(file.path),
        tokens: readNumber(file.tokens),
        tier: findText(file.tier),
        state: readText(file.state),
      };
    }),
    links: readList(links).map((value) => {
      const link = readFields(value);
      return { url: readText(link.url), title: readText(link.title), tokens: readNumber(link.tokens) };
    }),
    tree: tree === undefined ? undefined : readTexts(tree),
  };
}

/** False where the repository has no such file. */
export async function addFile(id: string, path: string): Promise<boolean> {
  return (await client.addFile({ params: { id }, body: { path } })).added;
}

export async function removeFile(id: string, path: string): Promise<void> {
  await client.removeFile({ params: { id }, query: { path } });
}

/** Why it was refused; undefined where it was not. */
export async function addLink(id: string, url: string): Promise<string | undefined> {
  const outcome = await client.addLink({ params: { id }, body: { url } });
  return outcome.type === "refused" ? outcome.reason : undefined;
}

export async function removeLink(id: string, url: string): Promise<void> {
  await client.removeLink({ params: { id }, query: { url } });
}
