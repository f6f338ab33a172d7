/** Submits a job after a reply, with a short delay. One job serves all replies that come during the delay. */
import type { PromptRequest } from "../context/prompt-request.ts";
import type { SessionState } from "../state/session-state.ts";

export class FollowUp {
  readonly #state: SessionState;
  #submitted: Promise<void> = Promise.resolve();
  #isPausing = false;

  constructor(state: SessionState) {
    this.#state = state;
  }

  schedule(request: PromptRequest): void {
    const { id, context } = this.#state;
    const { phase, pauseMs } = context.settingsFor(request.model ?? context.defaults.model);
    // A job that has not started yet will see the new messages too.
    if (phase !== "post-response" || this.#isPausing) return;
    this.#isPausing = pauseMs > 0;
    this.#submitted = (async () => {
      if (pauseMs > 0) await context.sleep(pauseMs);
      this.#isPausing = false;
      await context.jobs?.submit(id);
    })();
  }

  /** Resolves when the job is submitted, and has ended if this process runs jobs. */
  async settle(): Promise<void> {
    await this.#submitted;
    await this.#state.context.jobs?.settle(this.#state.id);
  }
}
