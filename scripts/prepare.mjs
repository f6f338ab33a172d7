/**
 * Builds the page after `npm ci`. If the build tools are not installed, it prints that, and the server shows a plain
 * page. npm runs it as `postprepare`, because npm warns about a `prepare` script of a packed package, although it never
 * runs there.
 */
import { existsSync } from "node:fs";

const root = new URL("../", import.meta.url);
if (existsSync(new URL("node_modules/vite/package.json", root))) await import("./build-web.ts");
else {
  const advice = "Run npm ci without --omit=dev to build it.";
  process.stdout.write(`The page is not built: its build tools are not installed. ${advice}\n`);
}
