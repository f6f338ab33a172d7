/** The one client of the page. Only this folder asks it. */
import { createClient } from "../../src/client/create-client.ts";
import { fetchSigned } from "./token.ts";

export const client = createClient({ url: window.location.origin, fetch: (request) => fetchSigned(request) });
