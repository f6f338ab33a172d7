/**
 * Places the records of a tree of messages into branches while they arrive. Tools link each record to the one before it.
 * A record continues a branch if it follows its newest round: parallel calls and their results are siblings in the tree,
 * and one conversation. Otherwise it begins a new branch after its parent.
 */
import type { MessageId } from "../../core/message/message.ts";

export interface TreeBranch<Session> {
  readonly session: Session;
  /** Number of placed records. */
  length: number;
  /** Place of the newest prompt, or of the first record of the newest response. */
  roundStart: number;
}

export interface TreeNode<Session> {
  readonly branch: TreeBranch<Session>;
  readonly place: number;
  /** The message that the record is part of; the one before it for a record that is no message. */
  readonly messageId: MessageId | undefined;
}

export class MessageTree<Session> {
  readonly #nodes = new Map<string, TreeNode<Session>>();

  find(id: string | undefined): TreeNode<Session> | undefined {
    return id === undefined ? undefined : this.#nodes.get(id);
  }

  createBranch(session: Session): TreeBranch<Session> {
    return { session, length: 0, roundStart: 0 };
  }

  continuesBranch({ branch, place }: TreeNode<Session>): boolean {
    return place >= branch.roundStart;
  }

  /** Adds a record to the end of a branch. Prompts and the first record of a response begin a round. */
  place(
    branch: TreeBranch<Session>,
    {
      id,
      messageId,
      beginsRound,
    }: { readonly id: string; readonly messageId: MessageId; readonly beginsRound: boolean },
  ): void {
    branch.length += 1;
    if (beginsRound) branch.roundStart = branch.length;
    this.#nodes.set(id, { branch, place: branch.length, messageId });
  }

  /** Gives a record that is no message the place of the record before it. */
  link(id: string, node: TreeNode<Session> | undefined): void {
    if (node !== undefined && !this.#nodes.has(id)) this.#nodes.set(id, node);
  }

  /** Gives a record the end of a branch as its place. */
  linkToEnd(id: string, branch: TreeBranch<Session>, messageId: MessageId | undefined): void {
    this.#nodes.set(id, { branch, place: branch.length, messageId });
  }
}
