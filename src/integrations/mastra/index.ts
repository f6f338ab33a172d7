/** `palimpsest/mastra`: a processor that keeps the conversation of a Mastra agent in a session. */
export {
  type AgentStep,
  type AgentThread,
  type SessionProcessor,
  type SessionProcessorOptions,
  sessionProcessor,
} from "./session-processor.ts";
