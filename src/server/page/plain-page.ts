/** The page of a server without a built page: links to the API and three requests to start with. HTML without scripts. */

export function writePlainPage(origin: string, version: string, style: string): string {
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
<p>This is a context engine for conversations with language models. It keeps every message and sends what fits.</p>
<p>The page was not built; use HTTP or the terminal instead. In a clone
<code>npm ci</code>, without <code>--omit=dev</code>, builds it; the published package includes it.</p>
<ul>
<li><a href="/api">/api</a> lists all requests.</li>
<li><a href="/openapi.json">/openapi.json</a> is the same for programs.</li>
<li><a href="/ready">/ready</a> reports whether store and jobs work.</li>
</ul>
<h2>Try it</h2>
<p>Send a message. The first one creates the session.</p>
<pre>curl -N ${here}/api/chat -H 'content-type: application/json' \\
  -d '{"id":"first","message":{"id":"m1","role":"user","parts":[{"type":"text","text":"What can you do?"}]}}'</pre>
<p>Show what the model sees.</p>
<pre>curl ${here}/api/sessions/first/view</pre>
<p>Search all sessions.</p>
<pre>curl '${here}/api/search?query=do'</pre>
<p>Or chat in the terminal: in a clone <code>npm run palimpsest -- chat --server ${here}</code>, with the package
installed <code>npx palimpsest chat --server ${here}</code>.</p>
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

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
