// Addresses of photos that are signed in their path, can be fetched once, and end after an hour.
import { createHmac, randomBytes } from 'node:crypto';
import type { Answer } from '../answer.ts';
import { ODataError } from '../odata/problem.ts';
import type { Clock } from '../world.ts';

const LIFETIME = 3_600_000;
const PATH = /^\/media\/token=([\w-]+)&expires=(\d+)&id=(\d+)\/images\/([\w-]+)\.jpeg$/;

/** The smallest picture there is: one grey pixel. */
const PIXEL = Buffer.from(
  '/9j/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=',
  'base64',
);

/** A picture of its own for each medium: its key is a comment in the file. */
function pictureOf(media: string): Buffer {
  const text = Buffer.from(media);
  const comment = Buffer.from([0xff, 0xfe, 0, text.length + 2]);
  return Buffer.concat([PIXEL.subarray(0, 2), comment, text, PIXEL.subarray(2)]);
}

export class SingleUseUrls {
  readonly #clock: Clock;
  readonly #secret = randomBytes(16);
  readonly #used = new Set<string>();
  #next = 1;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A path that has not been there before. */
  sign(media: string): string {
    const [expires, id] = [this.#clock() + LIFETIME, this.#next++];
    return `/media/token=${this.#sign(expires, id, media)}&expires=${expires}&id=${id}/images/${media}.jpeg`;
  }

  /** Answers a path once; 403 where it is not signed, 400 where it has ended, 429 the second time. */
  answer(path: string): Answer {
    const [, token = '', expires = '', id = '', media = ''] = PATH.exec(path) ?? [];
    if (token === '' || token !== this.#sign(Number(expires), Number(id), media))
      throw new ODataError(403, 'Forbidden', 'The address is not signed');
    if (Number(expires) < this.#clock()) throw new ODataError(400, 'Expired', 'The address has ended');
    if (this.#used.has(token)) throw new ODataError(429, 'Used', 'The address was fetched before');
    this.#used.add(token);
    return { status: 200, headers: { 'Content-Type': 'image/jpeg' }, body: pictureOf(media) };
  }

  #sign(expires: number, id: number, media: string): string {
    return createHmac('sha256', this.#secret).update(`${expires} ${id} ${media}`).digest('base64url');
  }
}
