// Source of bytes: an iterable of chunks, read by exact numbers of bytes.

export class ByteSource {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #buffered: Buffer[] = [];
  #length = 0;
  #isEnded = false;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#chunks = source[Symbol.asyncIterator]();
  }

  /** The next bytes, fewer only at the end. */
  async take(bytes: number): Promise<Buffer> {
    const all = await this.#fill(bytes);
    const taken = all.subarray(0, bytes);
    this.#setBuffered(all.subarray(taken.length));
    return taken;
  }

  /** The same bytes as `take`, which come again. */
  async peek(bytes: number): Promise<Buffer> {
    const all = await this.#fill(bytes);
    this.#setBuffered(all);
    return all.subarray(0, bytes);
  }

  /** Whether there is no further byte. */
  async isAtEnd(): Promise<boolean> {
    return (await this.peek(1)).length === 0;
  }

  /** All further bytes as they come. */
  async *rest(): AsyncGenerator<Buffer> {
    try {
      for (const chunk of this.#buffered.splice(0)) yield chunk;
      for (let next = await this.#chunks.next(); next.done !== true; next = await this.#chunks.next())
        yield asBuffer(next.value);
    } finally {
      await this.close();
    }
  }

  /** Ends the source, which may not be at its end. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  /** What is buffered, in one piece, after as many bytes as that have come. */
  async #fill(bytes: number): Promise<Buffer> {
    while (this.#length < bytes && !this.#isEnded) {
      const next = await this.#chunks.next();
      if (next.done === true) this.#isEnded = true;
      else {
        this.#buffered.push(asBuffer(next.value));
        this.#length += next.value.length;
      }
    }
    const [first = Buffer.alloc(0), ...others] = this.#buffered;
    return others.length === 0 ? first : Buffer.concat(this.#buffered);
  }

  #setBuffered(bytes: Buffer): void {
    this.#buffered = bytes.length === 0 ? [] : [bytes];
    this.#length = bytes.length;
  }
}

const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
