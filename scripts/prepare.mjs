/**
 * After `npm ci` the page is there. An install without what it is built with leaves it out, and says so; the server then
 * shows a plain page in its place. npm runs it as `postprepare`: of a `prepare` script npm warns everybody who installs
 * the packed package, although it never runs there.
 */
import { existsSync } from "node:fs";

const root = new URL("../", import.meta.url);
if (existsSync(new URL("node_modules/vite/package.json", root))) await import("./build-web.ts");
else {
  const advice = "npm ci, without --omit=dev, brings that and builds it.";
  process.stdout.write(`The page is not built: this install leaves out what it is built with. ${advice}\n`);
}
