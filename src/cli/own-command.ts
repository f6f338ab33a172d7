/** How this command is called from where it runs: in the repository by npm, elsewhere as a package that is installed. */
export function ownCommand(url: string = import.meta.url): string {
  return url.endsWith(".ts") ? "npm run palimpsest --" : "npx palimpsest";
}
