/**
 * The turn that is under way. The log is the truth: `useChat` holds only what is not in it yet, sends the new message
 * alone, and is emptied when the log has taken the turn over.
 */
import { useChat } from "@ai-sdk/react";
import type { DefaultChatTransport, UIMessage } from "ai";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { cancelChat } from "../api/chat.ts";
import { sayError } from "../api/errors.ts";
import { type Fields, readFields, readText } from "../api/fields.ts";
import { findSent, type SentImage, type StoredImage, sendMissing } from "../api/images.ts";
import { fetchSigned } from "../api/token.ts";
import type { LogWindow } from "../hooks/use-log.ts";
import { findModel, hasMessage, keepModel, type PendingMessage, takeMessage } from "./next-turn.ts";
import { type HeedRetry, RetryTransport } from "./retry-transport.ts";
import { useHeldPreviews } from "./use-images.ts";

export interface Turn {
  /** What the log was not seen to hold. */
  readonly messages: readonly UIMessage[];
  /** Sent and not answered, or being answered. */
  readonly isRunning: boolean;
  readonly error: string | undefined;
  /** That the provider was asked again and why, until something comes of it. */
  readonly askedAgain: string | undefined;
  /** It failed because an answer that was asked for elsewhere is under way. */
  readonly isBusyElsewhere: boolean;
  /** The log was read since the last turn: what somebody said and it does not hold was not sent. */
  readonly isSettled: boolean;
  /** The answer that is coming was asked for elsewhere. */
  readonly isFollowing: boolean;
  readonly send: (text: string, images?: readonly SentImage[]) => void;
  /** Undefined for the server's default. */
  readonly model: string | undefined;
  readonly choose: (model: string) => void;
  readonly stop: () => void;
  /** Sends what could not be sent, the oldest first; else asks for the answer to a message of the log again. */
  readonly retry: (message?: AskedMessage) => void;
  /** Listens to an answer that is under way; resolves when it has ended, or at once where there is none. */
  readonly follow: () => Promise<void>;
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
  readonly log: Pick<LogWindow, "holds" | "items">;
  /** The server takes no such message, ever: what it says, and why. */
  readonly onRefused: (message: PendingMessage, reason: string) => void;
}

export function useTurn({ sessionId, onEnd, log: { holds, items }, onRefused }: TurnOptions): Turn {
  const [askedAgain, setAskedAgain] = useState<string | undefined>();
  const transport = useMemo(() => createTransport(setAskedAgain), []);
  const [model, setModel] = useState(() => findModel(sessionId));
  const choose = useCallback(
    (chosen: string) => {
      keepModel(sessionId, chosen);
      setModel(chosen);
    },
    [sessionId],
  );
  const asked = model === undefined ? {} : { body: { model } };
  const [unread, setUnread] = useState<string | undefined>();
  const [isSettled, setIsSettled] = useState(true);
  const [isFollowing, setIsFollowing] = useState(false);
  const [isBegun] = useState(() => hasMessage(sessionId));
  const turns = useRef(0);
  // Images go before their message; a second click meanwhile asks for nothing more.
  const isAsking = useRef(false);
  const latest = useRef({ onEnd, onRefused });
  latest.current = { onEnd, onRefused };
  const { messages, status, error, sendMessage, setMessages, clearError, stop, resumeStream } = useChat({
    id: sessionId,
    transport,
    throttle: 50,
    resume: !isBegun,
    onFinish: ({ isError, messages: ended }) => void settle(isError ? [] : ended),
    onError: (failure) => {
      if (readCode(failure) === "request-too-large") refuse(failure);
    },
  });
  /** What could not be read from the log stays as it came; what somebody said stays until the log has it. */
  const settle = async (ended: readonly UIMessage[]) => {
    const { current: turn } = turns;
    if (!(await latest.current.onEnd())) return;
    const replies = new Set(ended.flatMap(({ id, role }) => (role === "assistant" ? [id] : [])));
    setMessages((all) => all.filter(({ id }) => !holds(id) && !replies.has(id)));
    if (turn === turns.current) setIsSettled(true);
  };
  const refuse = (failure: Error) => {
    setMessages((all) => {
      const refused = all.findLast(({ role }) => role === "user");
      if (refused !== undefined) latest.current.onRefused(pendingOf(refused), sayFailure(failure));
      return all.filter((message) => message !== refused);
    });
    // The chat says that it failed after this was told.
    setTimeout(clearError);
  };
  const isRunning = status === "submitted" || status === "streaming";
  const cancel = useCallback(() => {
    void stop();
    // Closing the stream only stops listening to it: others may listen too. The server is told to end it.
    void cancelChat(sessionId).finally(() => latest.current.onEnd());
  }, [stop, sessionId]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was read is what it waits for.
  useEffect(() => {
    if (!isRunning) setMessages((all) => (all.some(({ id }) => holds(id)) ? all.filter(({ id }) => !holds(id)) : all));
  }, [items, isRunning, holds, setMessages]);
  useEffect(() => {
    const pending = takeMessage(sessionId);
    const chosen = findModel(sessionId);
    if (pending !== undefined)
      void sendMessage(messageOf(pending), chosen === undefined ? {} : { body: { model: chosen } });
  }, [sessionId, sendMessage]);
  useHeldPreviews(messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "file" ? [part.url] : []))));
  const begin = () => {
    turns.current += 1;
    clearError();
    setUnread(undefined);
    setIsSettled(false);
    setIsFollowing(false);
  };
  const sendAgain = (message: UIMessage) => {
    begin();
    // The one that is sent is the last; an answer that broke off comes anew.
    setMessages((all) => [...all.filter(({ id, role }) => role === "user" && id !== message.id), message]);
    void sendMessage(undefined, asked);
  };
  return {
    messages,
    model,
    choose,
    isRunning,
    askedAgain,
    isSettled,
    isFollowing,
    error: error === undefined ? unread : sayFailure(error),
    isBusyElsewhere: error !== undefined && readCode(error) === "stream-active",
    send: (text, images = []) => {
      begin();
      void sendMessage(messageOf({ text, images }), asked);
    },
    stop: cancel,
    retry: (message) => {
      const unsent = messages.find(({ id, role }) => role === "user" && !holds(id));
      if (unsent === undefined && message === undefined) return begin();
      if (isAsking.current) return;
      isAsking.current = true;
      const ready = unsent === undefined ? message && askAgain(sessionId, message) : sendImagesAgain(sessionId, unsent);
      ready
        ?.then(sendAgain, (failure: unknown) => setUnread(sayError(failure)))
        .finally(() => {
          isAsking.current = false;
        });
    },
    follow: () => {
      setIsFollowing(true);
      return resumeStream();
    },
  };
}

/** The same message as the log has it, images and all: under its id it can be no other. */
async function askAgain(sessionId: string, message: AskedMessage): Promise<UIMessage> {
  const images = await sendMissing(
    sessionId,
    message.images.map((source) => ({ source })),
  );
  const { text, files } = messageOf({ text: message.text, images });
  const words = text === undefined ? [] : [{ type: "text" as const, text }];
  return { id: message.id, role: "user", parts: [...(files ?? []), ...words] };
}

/** A message that is under way as it was before it was sent. */
export function pendingOf({ parts }: UIMessage): PendingMessage {
  const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  const images = parts.flatMap((part) =>
    part.type === "file" ? [{ reference: part.url, mediaType: part.mediaType, name: part.filename ?? "" }] : [],
  );
  return { text, images };
}

/** A server that began anew meanwhile has lost the images, which it keeps for a message that has not come yet. */
async function sendImagesAgain(sessionId: string, message: UIMessage): Promise<UIMessage> {
  const copies = await Promise.all(pendingOf(message).images.map(findSent));
  await sendMissing(
    sessionId,
    copies.flatMap((source) => (source === undefined ? [] : [{ source }])),
  );
  return message;
}

/** An image says enough by itself. */
function messageOf({ text, images }: PendingMessage) {
  const files = images.map(({ reference: url, mediaType, name: filename }) => ({
    ...{ type: "file" as const, url, mediaType, filename },
  }));
  return text === "" ? { files } : { text, files };
}

function createTransport(onAskedAgain: HeedRetry): DefaultChatTransport<UIMessage> {
  return new RetryTransport(onAskedAgain, {
    api: "/api/chat",
    // Asked for each request: a token may come later than this.
    fetch: fetchSigned,
    prepareSendMessagesRequest: ({ id, messages, body }) => {
      const message = messages.findLast(({ role }) => role === "user");
      return { body: { ...body, id, message } };
    },
  });
}

/** The server's refusals come as JSON; the stream's own errors as plain text. */
function sayFailure({ message }: Error): string {
  const told = readRefusal(message);
  if (told !== undefined) return readText(told.message) || "The answer could not be had.";
  if (message === "" || message.startsWith("Failed to fetch") || message === "network error") {
    return "The connection was lost before the answer was whole.";
  }
  if (message.trimStart().startsWith("<")) return "Something between here and the server answered in its place.";
  return /^HTTP \d+/.test(message) ? `The provider refused it. ${message}` : message;
}

function readCode({ message }: Error): string {
  return readText(readRefusal(message)?.code);
}

function readRefusal(message: string): Fields | undefined {
  try {
    return readFields(readFields(JSON.parse(message)).error);
  } catch {
    return undefined;
  }
}
