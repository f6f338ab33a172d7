/** Which statuses a route refuses with, by what it takes and does, for the document of the protocol. */
import type { Route } from "./route.ts";

interface Refusal {
  readonly status: number;
  readonly description: string;
  readonly isOf: (row: Route) => boolean;
}

const isAsked = ({ isOpen }: Route): boolean => isOpen !== true;
const hasBody = ({ body, takes }: Route): boolean => body !== undefined || takes !== undefined;
const isAboutSession = ({ params, tag }: Route): boolean => params !== undefined || tag === "chat";
const writes = (row: Route): boolean => isAsked(row) && row.method !== "GET";
const makesPrompt = ({ tag }: Route): boolean => ["prompts", "chat", "sample", "compaction"].includes(tag);

const REFUSALS: readonly Refusal[] = [
  {
    status: 400,
    description: "The request is not as it must be; `details` names where.",
    isOf: (row) => hasBody(row) || row.params !== undefined || row.query !== undefined,
  },
  { status: 401, description: "No token, or none that is known.", isOf: isAsked },
  {
    status: 403,
    description: "A host or an origin that this server is not spoken to by.",
    isOf: ({ isForOwner }) => isForOwner !== true,
  },
  {
    status: 403,
    description: "A host or an origin that this server is not spoken to by, or a token of another tenant than `local`.",
    isOf: ({ isForOwner }) => isForOwner === true,
  },
  { status: 404, description: "There is no such session, message or proposal.", isOf: isAboutSession },
  {
    status: 409,
    description: "An id that is taken, a stream that is under way, or something that cannot be changed here.",
    isOf: writes,
  },
  { status: 413, description: "The body is too large.", isOf: hasBody },
  { status: 415, description: "The body is of another kind.", isOf: hasBody },
  { status: 422, description: "The prompt cannot be made to fit; `details` names the floor.", isOf: makesPrompt },
  { status: 429, description: "Too often; `retry-after` says when again.", isOf: () => true },
  { status: 503, description: "The store is away, or the server ends.", isOf: () => true },
  { status: 507, description: "The store has no room.", isOf: writes },
];

export function describeRefusals(row: Route): readonly Pick<Refusal, "status" | "description">[] {
  return REFUSALS.filter(({ isOf }) => isOf(row));
}
