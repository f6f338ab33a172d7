/**
 * What a policy does after a reply, a while later and without keeping anybody waiting: a job is submitted that looks at
 * the session. Replies that come during the pause are served by the same job.
 */
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
    // One that has not begun yet will see what came meanwhile.
    if (phase !== "post-response" || this.#isPausing) return;
    this.#isPausing = pauseMs > 0;
    this.#submitted = (async () => {
      if (pauseMs > 0) await context.sleep(pauseMs);
      this.#isPausing = false;
      await context.jobs?.submit(id);
    })();
  }

  /** Resolves when what was scheduled is in the hands of those who run jobs, and done where that is here. */
  async settle(): Promise<void> {
    await this.#submitted;
    await this.#state.context.jobs?.settle(this.#state.id);
  }
}
