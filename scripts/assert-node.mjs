/**
 * Stops a command on a Node older than the repository's, with advice. It is plain JavaScript because an old Node cannot
 * read TypeScript.
 */
import { readFileSync } from "node:fs";

const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const needed = manifest.devDependencies.node.replace("^", "");

if (isOlder(process.versions.node, needed)) {
  process.stderr.write(
    `This repository runs on Node ${needed} or newer, and this is Node ${process.versions.node}.\n` +
      "`npm ci` puts the right one into node_modules/.bin, where npm scripts find it first. It does so in an install\n" +
      "script, so after `npm ci --ignore-scripts` it is missing: run `npm rebuild node`, or `npm ci` again.\n" +
      "Start everything through npm (`npm test`, `npm run check`, `npm start`).\n",
  );
  process.exit(1);
}

function isOlder(version, than) {
  const parts = version.split(".").map(Number);
  const limits = than.split(".").map(Number);
  const index = parts.findIndex((part, place) => part !== limits[place]);
  return index >= 0 && parts[index] < limits[index];
}
