/** Ids in opencode's storage are names of folders. They must not lead out of it. */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { findTranscripts } from "../../src/importers/folder/find-transcripts.ts";
import { newFolders } from "../support/new-folders.ts";

const newFolder = newFolders("opencode-paths");

function writeJson(path: string, value: object): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(value));
}

test("an import of opencode's storage reads no file outside of it, by an id or by a link", async () => {
  const folder = newFolder();
  const storage = join(folder, "opencode", "storage");
  mkdirSync(join(storage, "part"), { recursive: true });
  writeJson(join(folder, "secret", "a.json"), { id: "../../../words", role: "user" });
  writeJson(join(folder, "words", "x.json"), { type: "text", text: "TOP SECRET" });
  writeJson(join(storage, "session", "p", "out.json"), { id: "../../../secret" });
  writeJson(join(storage, "session", "p", "in.json"), { id: "ses_1" });
  writeJson(join(storage, "message", "ses_1", "m.json"), { id: "msg_1", sessionID: "ses_1", role: "user" });
  writeJson(join(storage, "part", "msg_1", "p.json"), { type: "text", text: "Inside." });
  symlinkSync(join(folder, "words", "x.json"), join(storage, "part", "msg_1", "q.json"));
  let text = "";
  for (const file of await findTranscripts(folder)) {
    if (!file.path.includes("storage")) continue;
    for await (const bytes of file.open()) text += Buffer.from(bytes).toString();
  }
  expect(text).toContain("Inside.");
  expect(text).not.toContain("SECRET");
});
