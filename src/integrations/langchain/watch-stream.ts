/** Collects the text that a model streams, so that a call that is canceled or fails is recorded with what had arrived. */
import { loadCallbacks, loadContext } from "./load-langchain.ts";

export interface WatchedStream extends AsyncDisposable {
  readonly text: string;
}

/** Adds a handler to the callbacks of the running call, which the model inherits, and removes it at the end. */
export async function watchStream(): Promise<WatchedStream> {
  const [{ AsyncLocalStorageProviderSingleton }, { BaseCallbackHandler }] = await Promise.all([
    loadContext(),
    loadCallbacks(),
  ]);
  let text = "";
  const handler = BaseCallbackHandler.fromMethods({
    handleLLMNewToken(token) {
      text += token;
    },
  });
  const callbacks: unknown = AsyncLocalStorageProviderSingleton.getRunnableConfig()?.callbacks;
  const manager = canHold(callbacks) ? callbacks : undefined;
  manager?.addHandler(handler, true);
  return {
    get text() {
      return text;
    },
    async [Symbol.asyncDispose]() {
      manager?.removeHandler(handler);
    },
  };
}

interface HandlerHolder {
  addHandler(handler: object, inherit: boolean): void;
  removeHandler(handler: object): void;
}

function canHold(value: unknown): value is HandlerHolder {
  return typeof value === "object" && value !== null && "addHandler" in value && "removeHandler" in value;
}
