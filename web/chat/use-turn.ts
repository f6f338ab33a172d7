/**
 * The turn that is under way. The log is the truth: `useChat` holds only what is not in it yet, sends the new message
 * alone, and is emptied when the log has taken the turn over.
 */
import { useChat } from "@ai-sdk/react";
import { DefaultChatTransport, type UIMessage } from "ai";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { SentImage } from "../api/images.ts";
import { cancelChat } from "../api/server.ts";
import { hasText, takeText } from "./pending-texts.ts";

export interface Turn {
  readonly messages: readonly UIMessage[];
  /** Sent and not answered, or being answered. */
  readonly isRunning: boolean;
  readonly error: string | undefined;
  readonly send: (text: string, images?: readonly SentImage[]) => void;
  /** Undefined for the server's default. */
  readonly model: string | undefined;
  readonly choose: (model: string) => void;
  readonly stop: () => void;
  /** Asks for the answer to a message again; the server knows the message by its id. */
  readonly retry: (message?: { readonly id: string; readonly text: string }) => void;
}

export interface TurnOptions {
  readonly sessionId: string;
  /** Reads the log anew; resolves when it stands on the page. */
  readonly onEnd: () => Promise<void>;
}

export function useTurn({ sessionId, onEnd }: TurnOptions): Turn {
  const transport = useMemo(createTransport, []);
  const [model, choose] = useState<string | undefined>();
  const asked = model === undefined ? {} : { body: { model } };
  const [isBegun] = useState(() => hasText(sessionId));
  const ended = useRef(onEnd);
  ended.current = onEnd;
  const { messages, status, error, sendMessage, regenerate, setMessages, clearError, stop } = useChat({
    id: sessionId,
    transport,
    throttle: 50,
    resume: !isBegun,
    onFinish: ({ isError }) => {
      if (!isError) void ended.current().then(() => setMessages([]));
    },
  });
  const isRunning = status === "submitted" || status === "streaming";
  const cancel = useCallback(() => {
    void stop();
    // Closing the stream only stops listening to it: others may listen too. The server is told to end it.
    void cancelChat(sessionId).finally(() => ended.current());
  }, [stop, sessionId]);
  useEffect(() => {
    if (status === "error") void ended.current();
  }, [status]);
  useEffect(() => {
    const text = takeText(sessionId);
    if (text !== undefined) void sendMessage({ text });
  }, [sessionId, sendMessage]);
  return {
    messages,
    model,
    choose,
    isRunning,
    error: error === undefined ? undefined : sayFailure(error),
    send: (text, images = []) => {
      clearError();
      const files = images.map(({ reference: url, mediaType, name: filename }) => ({
        ...{ type: "file" as const, url, mediaType, filename },
      }));
      void sendMessage({ text, files }, asked);
    },
    stop: cancel,
    retry: (message) => {
      clearError();
      if (message !== undefined) {
        setMessages([{ id: message.id, role: "user", parts: [{ type: "text", text: message.text }] }]);
      }
      void regenerate(asked);
    },
  };
}

function createTransport(): DefaultChatTransport<UIMessage> {
  return new DefaultChatTransport({
    api: "/api/chat",
    prepareSendMessagesRequest: ({ id, messages, body }) => {
      const message = messages.findLast(({ role }) => role === "user");
      return { body: { ...body, id, message } };
    },
  });
}

/** The server's refusals come as JSON; the stream's own errors as plain text. */
function sayFailure({ message }: Error): string {
  try {
    const told: unknown = JSON.parse(message)?.error?.message;
    return typeof told === "string" ? told : "The answer could not be had.";
  } catch {
    return message === "" || message.startsWith("Failed to fetch") || message === "network error"
      ? "The connection was lost before the answer was whole."
      : message;
  }
}
