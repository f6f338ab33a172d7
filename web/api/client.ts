/** The page's client. Only modules of this folder use it. */
import { createClient } from "../../src/client/create-client.ts";
import { fetchWithToken } from "./token.ts";

export const client = createClient({ url: window.location.origin, fetch: (request) => fetchWithToken(request) });
