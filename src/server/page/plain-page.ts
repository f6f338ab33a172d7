/** The page of a server whose page was not built: what runs here, and three requests to begin with. Plain HTML, no script. */

export interface PlainPage {
  /** As the browser called us. */
  readonly origin: string;
  readonly version: string;
  /** Where the style is. */
  readonly style: string;
}

export function writePlainPage({ origin, version, style }: PlainPage): string {
  const here = escapeHtml(origin);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Palimpsest</title>
<link rel="stylesheet" href="${style}">
<link rel="icon" href="data:,">
</head>
<body>
<main>
<h1>Palimpsest ${escapeHtml(version)}</h1>
<p>A context engine for conversations with language models runs here: it keeps every word, and sends what fits.</p>
<p>The page for people was not built; everything can be had over HTTP and in the terminal. In a clone
<code>npm ci</code>, without <code>--omit=dev</code>, builds it; a published package has it.</p>
<ul>
<li><a href="/api">/api</a> lists every request that this server answers.</li>
<li><a href="/openapi.json">/openapi.json</a> is the same for programs.</li>
<li><a href="/ready">/ready</a> says whether store and jobs answer.</li>
</ul>
<h2>To begin</h2>
<p>Say something to a session; it is made with its first message.</p>
<pre>curl -N ${here}/api/chat -H 'content-type: application/json' \\
  -d '{"id":"first","message":{"id":"m1","role":"user","parts":[{"type":"text","text":"What can you do?"}]}}'</pre>
<p>Look at what a model would see of it.</p>
<pre>curl ${here}/api/sessions/first/view</pre>
<p>Find what was said, in all sessions.</p>
<pre>curl '${here}/api/search?query=do'</pre>
<p>Or chat in the terminal, in a clone with <code>npm run palimpsest -- chat --server ${here}</code>, and where the package
is installed with <code>npx palimpsest chat --server ${here}</code>.</p>
</main>
</body>
</html>
`;
}

export const PLAIN_STYLE = `:root { color-scheme: light dark; font: 17px/1.5 system-ui, sans-serif; }
body { margin: 0; }
main { max-width: 44rem; margin: 3rem auto; padding: 0 1.25rem; }
h1 { font-size: 1.5rem; }
h2 { font-size: 1.1rem; margin-top: 2rem; }
pre { overflow-x: auto; padding: 0.75rem 1rem; border: 1px solid color-mix(in srgb, currentColor 25%, transparent); font-size: 0.85rem; }
`;

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
