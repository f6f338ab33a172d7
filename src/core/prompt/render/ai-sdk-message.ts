/** The AI SDK's model messages as far as we write them: values that `streamText` takes, without importing it. */
export type AiSdkJson = null | string | number | boolean | AiSdkJson[] | { [key: string]: AiSdkJson | undefined };

type Options = { providerOptions?: Record<string, { [key: string]: AiSdkJson | undefined }> };
type Data =
  | { type: "data"; data: string }
  | { type: "url"; url: URL }
  | { type: "reference"; reference: Record<string, string> };

type Text = { type: "text"; text: string } & Options;
type Reasoning = { type: "reasoning"; text: string } & Options;
type File = { type: "file"; data: Data | string | URL; mediaType: string; filename?: string } & Options;
type Image = { type: "image"; image: string | URL; mediaType?: string } & Options;
type ToolCall = {
  type: "tool-call";
  toolCallId: string;
  toolName: string;
  input: unknown;
  providerExecuted?: boolean;
} & Options;
type Output =
  | { type: "text" | "error-text"; value: string }
  | { type: "json" | "error-json"; value: AiSdkJson }
  | { type: "content"; value: (Text | { type: "file"; data: Data; mediaType: string; filename?: string })[] }
  | { type: "execution-denied"; reason?: string };
type ToolResult = { type: "tool-result"; toolCallId: string; toolName: string; output: Output } & Options;

export type AiSdkMessage =
  | ({ role: "user"; content: string | (Text | Image | File)[] } & Options)
  | ({ role: "assistant"; content: string | (Text | Reasoning | File | ToolCall | ToolResult)[] } & Options)
  | ({ role: "tool"; content: ToolResult[] } & Options);
