/** Types of the part of autocannon that is used here; the package has none. */
declare module "autocannon" {
  export interface CannonRequest {
    method: "POST";
    path: string;
    body?: string | undefined;
    setupRequest?: (request: CannonRequest) => CannonRequest;
    onResponse?: (status: number, body: string) => void;
  }

  export interface CannonClient {
    setRequests(requests: readonly CannonRequest[]): void;
  }

  export interface CannonResult {
    readonly errors: number;
    readonly timeouts: number;
    readonly non2xx: number;
  }

  export interface CannonOptions {
    readonly url: string;
    readonly connections: number;
    readonly duration: number;
    readonly timeout: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly setupClient: (client: CannonClient) => void;
  }

  export interface CannonRun extends Promise<CannonResult> {
    on(
      event: "response",
      listener: (client: CannonClient, status: number, bytes: number, responseMs: number) => void,
    ): CannonRun;
    stop(): void;
  }

  function autocannon(options: CannonOptions): CannonRun;
  // biome-ignore lint/style/noDefaultExport: the package has a default export.
  export default autocannon;
}
