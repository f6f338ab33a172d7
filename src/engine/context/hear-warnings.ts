/** Warnings of what stands behind the engine: told to whoever listens, and to the process while nobody does. */
import { createEmitter, type Emitter } from "./events.ts";

export interface HeardWarnings {
  readonly emitter: Emitter;
  readonly onWarning: (text: string) => void;
}

export function createWarningEmitter(): HeardWarnings {
  const { on, emit } = createEmitter();
  const listening = new Set<symbol>();
  const emitter: Emitter = {
    emit,
    on(name, listener) {
      const stop = on(name, listener);
      const mark = Symbol(name);
      if (name === "warning") listening.add(mark);
      return () => {
        listening.delete(mark);
        stop();
      };
    },
  };
  const onWarning = (text: string) => {
    if (listening.size > 0) emit("warning", { sessionId: undefined, text });
    else process.emitWarning(text, "PalimpsestWarning");
  };
  return { emitter, onWarning };
}
