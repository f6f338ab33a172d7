/**
 * Reads the marked conversations of the bench and the training: TIAGE, where people marked each turn that leaves the
 * topic, and the topics of QMSum's meetings, which start with their spans. Without its folder, a data set is empty.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { MarkedDialogue, MarkedTurn } from "./marked-dialogue.ts";

type TiageFile = Readonly<Record<string, readonly (readonly [string, string])[]>>;

export function readTiage(folder: string, part: "train" | "dev" | "test"): readonly MarkedDialogue[] {
  const path = `${folder}/tiage/anno_${part}.json`;
  if (!existsSync(path)) return [];
  const file = JSON.parse(readFileSync(path, "utf8")) as TiageFile;
  return Object.entries(file).map(([id, marked]) => ({
    id: `tiage-${part}-${id}`,
    turns: marked.map(([text], place) => ({ speaker: place % 2 === 0 ? "one" : "other", text })),
    starts: marked.flatMap(([, label], place) => (place > 0 && label === "1" ? [place] : [])),
  }));
}

interface QmsumFile {
  readonly topic_list: readonly { readonly relevant_text_span: readonly (readonly [string, string])[] }[];
  readonly meeting_transcripts: readonly { readonly speaker: string; readonly content: string }[];
}

export function readMarkedMeetings(folder: string): readonly MarkedDialogue[] {
  const path = `${folder}/qmsum/val`;
  if (!existsSync(path)) return [];
  const names = readdirSync(path).filter((name) => name.endsWith(".json"));
  return names.toSorted().map((name) => {
    const file = JSON.parse(readFileSync(`${path}/${name}`, "utf8")) as QmsumFile;
    const turns = file.meeting_transcripts.map(({ speaker, content }) => ({ speaker, text: content }));
    const begins = file.topic_list.flatMap(({ relevant_text_span: spans }) => spans.map(([first]) => Number(first)));
    const starts = [...new Set(begins)].filter((place) => place > 0 && place < turns.length);
    return { id: `qmsum-${name}`, turns, starts: starts.toSorted((one, other) => one - other) };
  });
}

interface TauTrajectory {
  readonly task_id: number;
  readonly traj: readonly { readonly role: string; readonly content?: string | null | undefined }[];
}

export interface ServiceTalk {
  readonly task: number;
  readonly turns: readonly MarkedTurn[];
}

/** Reads the messages of customers and agents in tau-bench, without instructions and tools. */
export function readServiceTalks(folder: string): readonly ServiceTalk[] {
  const path = `${folder}/tau-bench`;
  if (!existsSync(path)) return [];
  const names = readdirSync(path).filter((name) => name.endsWith(".json"));
  return names.toSorted().flatMap((name) => {
    const file = JSON.parse(readFileSync(`${path}/${name}`, "utf8")) as readonly TauTrajectory[];
    return file.map(({ task_id: task, traj }) => ({
      task,
      turns: traj.flatMap(({ role, content }) => {
        const text = (content ?? "").replaceAll(/###\w+###/g, "").trim();
        return (role === "user" || role === "assistant") && text !== "" ? [{ speaker: role, text }] : [];
      }),
    }));
  });
}
