/**
 * The turn that is under way. The log is the truth: `useChat` holds only what is not in it yet, sends the new message
 * alone, and is emptied when the log has taken the turn over.
 */
import { useChat } from "@ai-sdk/react";
import { DefaultChatTransport, type UIMessage } from "ai";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { cancelChat } from "../api/chat.ts";
import { type SentImage, type StoredImage, sendMissing } from "../api/images.ts";
import { sayError } from "../api/say-error.ts";
import { hasMessage, type PendingMessage, takeMessage } from "./pending-messages.ts";
import { useHeldPreviews } from "./use-held-previews.ts";

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
  readonly retry: (message?: AskedMessage) => void;
}

/** A message of the log that has no answer. */
export interface AskedMessage {
  readonly id: string;
  readonly text: string;
  readonly images: readonly StoredImage[];
}

export interface TurnOptions {
  readonly sessionId: string;
  /** Reads the log anew; resolves when it stands on the page, with false where it could not be read. */
  readonly onEnd: () => Promise<boolean>;
}

export function useTurn({ sessionId, onEnd }: TurnOptions): Turn {
  const transport = useMemo(createTransport, []);
  const [model, choose] = useState<string | undefined>();
  const asked = model === undefined ? {} : { body: { model } };
  const [unread, setUnread] = useState<string | undefined>();
  const [isBegun] = useState(() => hasMessage(sessionId));
  const ended = useRef(onEnd);
  ended.current = onEnd;
  const { messages, status, error, sendMessage, regenerate, setMessages, clearError, stop } = useChat({
    id: sessionId,
    transport,
    throttle: 50,
    resume: !isBegun,
    onFinish: ({ isError }) => {
      if (isError) return;
      // What could not be read from the log stays as it came.
      void ended.current().then((isRead) => isRead && setMessages([]));
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
    const pending = takeMessage(sessionId);
    if (pending !== undefined) void sendMessage(messageOf(pending));
  }, [sessionId, sendMessage]);
  useHeldPreviews(messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "file" ? [part.url] : []))));
  /** The same message as the log has it, images and all: under its id it can be no other. */
  const askAgain = async (message: AskedMessage | undefined): Promise<UIMessage | undefined> => {
    if (message === undefined) return undefined;
    const images = await sendMissing(
      sessionId,
      message.images.map((source) => ({ source })),
    );
    const { text, files } = messageOf({ text: message.text, images });
    const words = text === undefined ? [] : [{ type: "text" as const, text }];
    return { id: message.id, role: "user", parts: [...(files ?? []), ...words] };
  };
  return {
    messages,
    model,
    choose,
    isRunning,
    error: error === undefined ? unread : sayFailure(error),
    send: (text, images = []) => {
      clearError();
      void sendMessage(messageOf({ text, images }), asked);
    },
    stop: cancel,
    retry: (message) => {
      clearError();
      setUnread(undefined);
      askAgain(message).then(
        (again) => {
          if (again !== undefined) setMessages([again]);
          void regenerate(asked);
        },
        (failure: unknown) => setUnread(sayError(failure)),
      );
    },
  };
}

/** An image says enough by itself. */
function messageOf({ text, images }: PendingMessage) {
  const files = images.map(({ reference: url, mediaType, name: filename }) => ({
    ...{ type: "file" as const, url, mediaType, filename },
  }));
  return text === "" ? { files } : { text, files };
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
