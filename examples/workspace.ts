/** The program of docs/workspace.md, run from the sources: a conversation with a repository, without a key. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPalimpsest } from "../src/index.ts";

const root = mkdtempSync(join(tmpdir(), "tides-"));
const write = (path: string, text: string) => writeFileSync(join(root, path), text);
mkdirSync(join(root, "src"));
write(".gitignore", "*.log\n");
write("debug.log", "not shown");
write("src/moon.ts", "export function pull(): number {\n  return 1;\n}\n");
write("src/tide.ts", 'import { pull } from "./moon.ts";\n\nexport const rise = (level: number) => level + pull();\n');

const palimpsest = await openPalimpsest({ workspace: { root } });
const session = await palimpsest.session("tides");
await session.workspace.files.add("src/tide.ts");
await session.workspace.addLink("https://tides.example/", "Tides follow the moon.");

const next = { role: "user", content: "What moves the sea?" };
const prompt = await session.prompt({ next });
for (const { role, content } of prompt.messages) console.log(`${role}: ${String(content).split("\n")[0]}`);

write("src/tide.ts", "export const rise = (level: number) => level + 2;\n");
const again = await session.prompt();
console.log(again.messages.some(({ content }) => String(content).includes("level + 2")) ? "seen" : "missed");

const refused = await session.workspace.files.add("../secret.txt").catch((error: Error) => error.message);
console.log(refused);
await palimpsest.close();
rmSync(root, { recursive: true });
