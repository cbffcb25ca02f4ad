// Route of the assets: files that never change under their URL, compressed once.

import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib';
import { Type } from 'typebox';
import { type Route, route } from '../../http/frame/route.ts';
import { type Encoding, negotiateEncoding } from '../../http/output/compression.ts';
import { Problem } from '../../lib/problem.ts';
import { ASSETS_PATH, type Asset, type Assets } from './assets.ts';

const YEAR = 'public, max-age=31536000, immutable';

export function assetRoute<Caller>(assets: Assets): Route<Caller> {
  const compressed = new CompressedAssets();
  return route<Caller>()({
    method: 'GET',
    path: `/${ASSETS_PATH}/*`,
    operation: 'getAsset',
    page: true,
    tag: 'Service',
    summary: 'Get a script of the pages',
    access: { credentials: 'none', counts: 'nothing' },
    // The map library adds its version to the URL of its worker.
    ownQuery: true,
    query: Type.Object({}),
    accepts: ['text/javascript'],
    anyAccept: true,
    answer: { description: 'The module.', contentType: 'text/javascript' },
    async handle({ url, headers }) {
      const [path = ''] = url.split('?');
      const asset = assets.find(path.slice(ASSETS_PATH.length + 2));
      if (asset === undefined)
        throw new Problem('NOT_FOUND', 'There is no such file. Reload the page: it names the current ones.');
      const own = {
        'content-type': asset.type,
        'cache-control': YEAR,
        'cross-origin-resource-policy': 'same-origin',
        vary: 'accept-encoding',
      } as const;
      const encoding = negotiateEncoding(String(headers['accept-encoding'] ?? ''));
      if (encoding === null) return { text: asset.text, headers: own };
      const bytes = await compressed.get(asset, encoding);
      return { bytes, headers: { ...own, 'content-encoding': encoding } };
    },
  });
}

/** Quality from 0 to 11. The best takes two seconds for the map library, so the first clients get a quick one. */
const brotli = (text: string, quality: number): Promise<Buffer> =>
  promisify(brotliCompress)(text, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: quality,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: Buffer.byteLength(text),
    },
  });

const QUICK: Readonly<Record<Encoding, (text: string) => Promise<Buffer>>> = {
  br: (text) => brotli(text, 5),
  zstd: (text) => promisify(zstdCompress)(text),
  gzip: (text) => promisify(gzip)(text),
};

/** Compressed bytes of assets, kept as long as the process runs: there are two dozen assets. */
class CompressedAssets {
  readonly #bytes = new Map<string, Promise<Buffer>>();

  get(asset: Asset, encoding: Encoding): Promise<Buffer> {
    const key = `${encoding} ${asset.path}`;
    const known = this.#bytes.get(key);
    if (known !== undefined) return known;
    const quick = QUICK[encoding](asset.text);
    this.#bytes.set(key, quick);
    if (encoding === 'br') void this.#improve(key, asset.text);
    return quick;
  }

  /** Small and best, for all later clients. */
  async #improve(key: string, text: string): Promise<void> {
    const best = await brotli(text, constants.BROTLI_MAX_QUALITY);
    this.#bytes.set(key, Promise.resolve(best));
  }
}
