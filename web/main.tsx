/** Starts the page. */
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Gate } from "./sign-in/gate.tsx";

const element = document.getElementById("page");
if (element === null) throw new TypeError("index.html has no #page");
createRoot(element).render(
  <StrictMode>
    <Gate />
  </StrictMode>,
);
