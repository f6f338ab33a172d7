/** Loads LangChain when it is first needed. It is an optional peer. */
import { PalimpsestError } from "../../core/errors.ts";

export const loadMessages = () => load(() => import("@langchain/core/messages"));
export const loadChatHistory = () => load(() => import("@langchain/core/chat_history"));
export const loadContext = () => load(() => import("@langchain/core/singletons"));
export const loadCallbacks = () => load(() => import("@langchain/core/callbacks/base"));
export const loadToolConversion = () => load(() => import("@langchain/core/utils/function_calling"));
export const loadLangChain = () => load(() => import("langchain"));

async function load<Module>(importModule: () => Promise<Module>): Promise<Module> {
  try {
    return await importModule();
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND")) throw error;
    const text = "palimpsest/langchain: LangChain is not installed. Run: npm install langchain @langchain/core";
    throw new PalimpsestError("config-invalid", text, { cause: error, details: { key: "langchain" } });
  }
}
