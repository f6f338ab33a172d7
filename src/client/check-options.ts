/** Checks the options of the client's functions; an error names the nearest option. */
import { describeUnknown, describeValue } from "../core/check-value.ts";
import { ClientError } from "./client-error.ts";

/** `name` is what the options belong to, as the caller writes it: `createClient`. */
export function checkOptions(options: object, names: readonly string[], name: string): void {
  const unknown = Object.keys(options).find((key) => !names.includes(key));
  if (unknown !== undefined) throw invalid(`${name}: ${describeUnknown(unknown, names)}`);
}

export function checkUrl(url: unknown): void {
  if (typeof url === "string" && /^https?:\/\/./.test(url)) return;
  const found = describeValue(url);
  throw invalid(`createClient: url: expected the server's address, such as http://127.0.0.1:7420, found ${found}.`);
}

function invalid(text: string): ClientError {
  return new ClientError("config-invalid", text);
}
