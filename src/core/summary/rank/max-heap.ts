export interface HeapItem {
  readonly value: number;
  readonly place: number;
}

/** Returns the item with the highest value first, and the later one of two equal items. */
export class MaxHeap<Item extends HeapItem> {
  readonly #items: Item[] = [];

  push(item: Item): void {
    const items = this.#items;
    let place = items.length;
    items.push(item);
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = items[above];
      if (parent === undefined || !comesBefore(item, parent)) break;
      items[place] = parent;
      place = above;
    }
    items[place] = item;
  }

  get top(): Item | undefined {
    return this.#items[0];
  }

  pop(): Item | undefined {
    const top = this.#items[0];
    const last = this.#items.pop();
    if (top !== undefined && last !== undefined && last !== top) this.#sink(last);
    return top;
  }

  replaceTop(item: Item): void {
    if (this.#items.length > 0) this.#sink(item);
  }

  #sink(item: Item): void {
    const items = this.#items;
    let place = 0;
    for (;;) {
      const left = 2 * place + 1;
      const right = left + 1;
      const first = items[left];
      const second = items[right];
      if (first === undefined) break;
      const isRight = second !== undefined && comesBefore(second, first);
      const child = isRight ? second : first;
      if (!comesBefore(child, item)) break;
      items[place] = child;
      place = isRight ? right : left;
    }
    items[place] = item;
  }
}

function comesBefore(left: HeapItem, right: HeapItem): boolean {
  return left.value > right.value || (left.value === right.value && left.place > right.place);
}
