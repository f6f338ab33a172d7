/** Palimpsest for the OpenAI Agents SDK: a session that keeps a conversation within its budget. */
export { PalimpsestSession, type PalimpsestSessionOptions } from "./palimpsest-session.ts";
