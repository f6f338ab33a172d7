/** A conversation that grows by a question and a reply with each request, as a client resends it. */

const WORDS =
  "harbor pier crane ship cargo tide captain anchor schedule container manifest customs berth pilot fuel repair".split(
    " ",
  );

export class Talk {
  readonly #messages: { readonly role: string; readonly content: string }[] = [];
  #seed: number;

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** Adds turns until the messages have at least so many characters. */
  growTo(characters: number): this {
    while (this.#messages.reduce((sum, { content }) => sum + content.length, 0) < characters)
      this.ask(800).reply(1_200);
    return this;
  }

  ask(characters: number): this {
    this.#messages.push({ role: "user", content: this.#write(characters) });
    return this;
  }

  reply(characters: number): this {
    this.#messages.push({ role: "assistant", content: this.#write(characters) });
    return this;
  }

  /** Adds what the upstream of the benchmark replies. */
  answer(): void {
    this.#messages.push({ role: "assistant", content: "Noted." });
  }

  encode(): Uint8Array {
    return Buffer.from(JSON.stringify({ model: "gpt-5.4", max_completion_tokens: 500, messages: this.#messages }));
  }

  #write(characters: number): string {
    let text = "";
    while (text.length < characters) {
      this.#seed = (this.#seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      text += `${WORDS[this.#seed % WORDS.length]} ${this.#seed % 9_973} `;
    }
    return text;
  }
}
