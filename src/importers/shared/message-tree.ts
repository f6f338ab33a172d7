/**
 * Places the records of a tree of messages into branches while they arrive. Tools link each record to the one before it.
 * A record continues a branch if it follows its newest round: parallel calls and their results are siblings in the tree,
 * and one conversation. Otherwise it begins a new branch after its parent.
 */
import type { MessageId } from "../../core/message/message.ts";
import { IdTable } from "./id-table.ts";

export interface TreeBranch<Session> {
  readonly session: Session;
  readonly number: number;
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
  readonly #branches: TreeBranch<Session>[] = [];
  /** Number of the node of each record. */
  readonly #numbers = new IdTable();
  readonly #branchOf: number[] = [];
  readonly #placeOf: number[] = [];
  readonly #messageOf: (MessageId | undefined)[] = [];

  find(id: string | undefined): TreeNode<Session> | undefined {
    const number = id === undefined ? undefined : this.#numbers.find(id);
    const branch = number === undefined ? undefined : this.#branches[this.#branchOf[number] ?? 0];
    if (number === undefined || branch === undefined) return undefined;
    return { branch, place: this.#placeOf[number] ?? 0, messageId: this.#messageOf[number] };
  }

  createBranch(session: Session): TreeBranch<Session> {
    const branch = { session, number: this.#branches.length, length: 0, roundStart: 0 };
    this.#branches.push(branch);
    return branch;
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
    this.linkToEnd(id, branch, messageId);
  }

  /** Gives a record that is no message the place of another one. */
  link(id: string, other: string): void {
    const number = this.#numbers.find(other);
    if (number !== undefined && this.#numbers.find(id) === undefined) this.#numbers.set(id, number);
  }

  /** Gives a record the end of a branch as its place. */
  linkToEnd(id: string, { number, length }: TreeBranch<Session>, messageId: MessageId | undefined): void {
    this.#numbers.set(id, this.#branchOf.length);
    this.#branchOf.push(number);
    this.#placeOf.push(length);
    this.#messageOf.push(messageId);
  }
}
