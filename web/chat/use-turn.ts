/**
 * The running turn. `useChat` holds only messages that are not in the log, and sends only the new message. Messages are
 * removed from it when the log has them.
 */
import { useChat } from "@ai-sdk/react";
import type { DefaultChatTransport, UIMessage } from "ai";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { type Fields, readFields, readText } from "../../src/client/fields.ts";
import { describeError } from "../api/errors.ts";
import { findUploadedImage, type UploadedImage, uploadMissingImages } from "../api/images.ts";
import { cancelChat } from "../api/sessions.ts";
import { fetchWithToken } from "../api/token.ts";
import type { StoredImage } from "../api/values.ts";
import type { LogWindow } from "../hooks/use-log.ts";
import { hasQueuedMessage, type QueuedMessage, readModel, saveModel, takeQueuedMessage } from "./next-turn.ts";
import { type OnRetry, RetryTransport } from "./retry-transport.ts";
import { useRetainedPreviews } from "./use-images.ts";

export interface Turn {
  /** Messages that have not appeared in the log yet. */
  readonly messages: readonly UIMessage[];
  /** Whether a message is being sent or answered. */
  readonly isRunning: boolean;
  readonly error: string | undefined;
  /** Why the server retries the request to the provider, while it does. */
  readonly retryStatus: string | undefined;
  /** Whether sending failed because another window's answer is being streamed. */
  readonly isBusyElsewhere: boolean;
  /** Whether the log was read since the last turn: a message that the log does not contain was not sent. */
  readonly isSettled: boolean;
  /** Whether the answer was requested by another window. */
  readonly isFollowing: boolean;
  readonly send: (text: string, images?: readonly UploadedImage[]) => void;
  /** Undefined for the server's default. */
  readonly model: string | undefined;
  readonly chooseModel: (model: string) => void;
  readonly stop: () => void;
  /** Sends the oldest unsent message again, or requests the answer to a message of the log again. */
  readonly retry: (message?: UnansweredRequest) => void;
  /** Follows an answer that is being streamed; resolves when it ends, or at once if there is none. */
  readonly follow: () => Promise<void>;
}

/** A message of the log without an answer. */
export interface UnansweredRequest {
  readonly id: string;
  readonly text: string;
  readonly images: readonly StoredImage[];
}

export interface TurnOptions {
  readonly sessionId: string;
  /** Reads the log; resolves when it is rendered, with false if it could not be read. */
  readonly onEnd: () => Promise<boolean>;
  readonly log: Pick<LogWindow, "holds" | "items">;
  /** Called with a message that the server will never accept, and its reason. */
  readonly onRefused: (message: QueuedMessage, reason: string) => void;
}

export function useTurn({ sessionId, onEnd, log: { holds, items }, onRefused }: TurnOptions): Turn {
  const [retryStatus, setRetryStatus] = useState<string | undefined>();
  const transport = useMemo(() => createTransport(setRetryStatus), []);
  const [model, setModel] = useState(() => readModel(sessionId));
  const chooseModel = useCallback(
    (chosen: string) => {
      saveModel(sessionId, chosen);
      setModel(chosen);
    },
    [sessionId],
  );
  const options = model === undefined ? {} : { body: { model } };
  const [retryError, setRetryError] = useState<string | undefined>();
  const [isSettled, setIsSettled] = useState(true);
  const [isFollowing, setIsFollowing] = useState(false);
  const [hasQueued] = useState(() => hasQueuedMessage(sessionId));
  const turns = useRef(0);
  // Images are uploaded before their message; a second click in the meantime does nothing.
  const isRetrying = useRef(false);
  const latest = useRef({ onEnd, onRefused });
  latest.current = { onEnd, onRefused };
  const { messages, status, error, sendMessage, setMessages, clearError, stop, resumeStream } = useChat({
    id: sessionId,
    transport,
    throttle: 50,
    resume: !hasQueued,
    onFinish: ({ isError, messages: ended }) => void settle(isError ? [] : ended),
    onError: (failure) => {
      if (readCode(failure) === "request-too-large") refuse(failure);
    },
  });
  /** Removes the messages that the log has. Messages of the user stay until the log has them. */
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
      if (refused !== undefined) latest.current.onRefused(toQueuedMessage(refused), describeTurnFailure(failure));
      return all.filter((message) => message !== refused);
    });
    // `useChat` sets its error after this callback.
    setTimeout(clearError);
  };
  const isRunning = status === "submitted" || status === "streaming";
  const cancel = useCallback(() => {
    void stop();
    // Closing the stream only stops listening; a request to the server stops the answer.
    void cancelChat(sessionId).finally(() => latest.current.onEnd());
  }, [stop, sessionId]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the log was read.
  useEffect(() => {
    if (!isRunning) setMessages((all) => (all.some(({ id }) => holds(id)) ? all.filter(({ id }) => !holds(id)) : all));
  }, [items, isRunning, holds, setMessages]);
  useEffect(() => {
    const pending = takeQueuedMessage(sessionId);
    const chosen = readModel(sessionId);
    if (pending !== undefined)
      void sendMessage(toChatMessage(pending), chosen === undefined ? {} : { body: { model: chosen } });
  }, [sessionId, sendMessage]);
  useRetainedPreviews(
    messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "file" ? [part.url] : []))),
  );
  const begin = () => {
    turns.current += 1;
    clearError();
    setRetryError(undefined);
    setIsSettled(false);
    setIsFollowing(false);
  };
  const sendAgain = (message: UIMessage) => {
    begin();
    // The message that is sent has to be the last; a partial answer is requested again.
    setMessages((all) => [...all.filter(({ id, role }) => role === "user" && id !== message.id), message]);
    void sendMessage(undefined, options);
  };
  return {
    messages,
    model,
    chooseModel,
    isRunning,
    retryStatus,
    isSettled,
    isFollowing,
    error: error === undefined ? retryError : describeTurnFailure(error),
    isBusyElsewhere: error !== undefined && readCode(error) === "stream-active",
    send: (text, images = []) => {
      begin();
      void sendMessage(toChatMessage({ text, images }), options);
    },
    stop: cancel,
    retry: (message) => {
      const unsent = messages.find(({ id, role }) => role === "user" && !holds(id));
      if (unsent === undefined && message === undefined) return begin();
      if (isRetrying.current) return;
      isRetrying.current = true;
      const prepared =
        unsent === undefined ? message && repeatRequest(sessionId, message) : uploadImagesAgain(sessionId, unsent);
      prepared
        ?.then(sendAgain, (failure: unknown) => setRetryError(describeError(failure)))
        .finally(() => {
          isRetrying.current = false;
        });
    },
    follow: () => {
      setIsFollowing(true);
      return resumeStream();
    },
  };
}

/** Returns the message as the log has it, with its images uploaded again: an id always names the same message. */
async function repeatRequest(sessionId: string, message: UnansweredRequest): Promise<UIMessage> {
  const images = await uploadMissingImages(
    sessionId,
    message.images.map((source) => ({ source })),
  );
  const { text, files } = toChatMessage({ text: message.text, images });
  const words = text === undefined ? [] : [{ type: "text" as const, text }];
  return { id: message.id, role: "user", parts: [...(files ?? []), ...words] };
}

/** Turns a chat message back into text and images. */
export function toQueuedMessage({ parts }: UIMessage): QueuedMessage {
  const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  const images = parts.flatMap((part) =>
    part.type === "file" ? [{ reference: part.url, mediaType: part.mediaType, name: part.filename ?? "" }] : [],
  );
  return { text, images };
}

/** A restarted server has lost uploads whose message has not arrived. */
async function uploadImagesAgain(sessionId: string, message: UIMessage): Promise<UIMessage> {
  const copies = await Promise.all(toQueuedMessage(message).images.map(findUploadedImage));
  await uploadMissingImages(
    sessionId,
    copies.flatMap((source) => (source === undefined ? [] : [{ source }])),
  );
  return message;
}

/** A message can have images only. */
function toChatMessage({ text, images }: QueuedMessage) {
  const files = images.map(({ reference: url, mediaType, name: filename }) => ({
    ...{ type: "file" as const, url, mediaType, filename },
  }));
  return text === "" ? { files } : { text, files };
}

function createTransport(onRetry: OnRetry): DefaultChatTransport<UIMessage> {
  return new RetryTransport(onRetry, {
    api: "/api/chat",
    // Called for each request, because the token can change.
    fetch: fetchWithToken,
    prepareSendMessagesRequest: ({ id, messages, body }) => {
      const message = messages.findLast(({ role }) => role === "user");
      return { body: { ...body, id, message } };
    },
  });
}

/** Error responses of the server are JSON; errors of the stream are plain text. */
function describeTurnFailure({ message }: Error): string {
  const refusal = readRefusal(message);
  if (refusal !== undefined) return readText(refusal.message) || "The server rejected the request.";
  if (message.includes("Failed to process successful response")) {
    return "The connection was lost while the answer was streaming.";
  }
  if (message === "" || message.startsWith("Failed to fetch") || message === "network error") {
    return "The connection was lost before the answer was complete.";
  }
  if (message.trimStart().startsWith("<")) return "A proxy answered instead of the server.";
  return /^HTTP \d+/.test(message) ? `The provider rejected the request. ${message}` : message;
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
