/** What the ports that a host may hand over must be able to do. Which of them fit together is found when they are used. */
import { type OptionRule, withMethods } from "../../core/check-options.ts";

export const CLOCK = withMethods("now");
export const IDS = withMethods("message", "session", "entry", "prompt");
export const NOTIFICATIONS = withMethods("notify", "listen", "close");

const OWN_JOBS = withMethods("submit", "work", "settle", "readDeadLetters", "drain", "close");

export const JOBS: OptionRule = {
  allowed: `"in-process", "pg-boss", or ${OWN_JOBS.allowed}`,
  holds: (value) => typeof value === "string" || OWN_JOBS.holds(value),
};
