/** Which types of answers are read, and at which ports. Values only. */

const OTHER_TYPES: ReadonlySet<string> = new Set([
  "application/json",
  "application/xml",
  "application/javascript",
  "application/x-javascript",
  "application/yaml",
  "application/x-yaml",
  "application/toml",
  "application/x-ndjson",
]);

/** One that is not named is judged by what comes. */
export function isReadableType(mediaType: string): boolean {
  if (mediaType === "" || OTHER_TYPES.has(mediaType)) return true;
  return mediaType.startsWith("text/") || /^application\/[\w.-]+\+(?:xml|json)$/.test(mediaType);
}

/** Ports above 1023 at which something else listens that a request could talk to: the ones that browsers refuse. */
const OTHER_SERVICES: ReadonlySet<number> = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

/** As a URL has it: empty for the usual one. Below 1024 only those of the web itself. */
export function isOpenPort(port: string): boolean {
  if (port === "" || port === "80" || port === "443") return true;
  return Number(port) >= 1_024 && !OTHER_SERVICES.has(Number(port));
}
