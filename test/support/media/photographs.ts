// Photographs as cameras write them: with the place, the device, and the name of whoever took them, in each of our formats.

import sharp from 'sharp';
import type { ImageFormat } from '../../../src/media/pictures/image-head.ts';

/** What stands in the metadata of photographs, and in no picture. */
export const SECRETS = ['SpyCam 9000', 'SECRET-PLACE', 'secret-keyword'] as const;
export const COPYRIGHT = '(c) Jane Doe';

const XMP = `<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF
xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:exif="http://ns.adobe.com/exif/1.0/"
exif:GPSLatitude="51,30.5N" exif:UserComment="secret-keyword"/></rdf:RDF></x:xmpmeta><?xpacket end="w"?>`;

/** Pixels that repeat nowhere, the same each time. */
function noise(width: number, height: number, channels: number): Buffer {
  const pixels = Buffer.alloc(width * height * channels);
  let state = 1;
  for (let at = 0; at < pixels.length; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    // Neighbours are alike, as in photographs.
    pixels[at] = ((at / (width * channels)) & 0xc0) + (state >>> 27);
  }
  return pixels;
}

/** A photograph that was taken with the camera turned: stored `width` by `height`, seen the other way round. */
export function photograph(format: ImageFormat, width = 400, height = 200): Promise<Buffer> {
  return sharp(noise(width, height, 3), { raw: { width, height, channels: 3 } })
    .withMetadata({ orientation: 6 })
    .withExif({
      IFD0: { Copyright: COPYRIGHT, Model: 'SpyCam 9000', Make: 'SpyCam 9000' },
      IFD2: { UserComment: 'SECRET-PLACE' },
      IFD3: {
        GPSLatitudeRef: 'N',
        GPSLatitude: '51/1 30/1 3230/100',
        GPSLongitudeRef: 'W',
        GPSLongitude: '0/1 7/1 4366/100',
        GPSAreaInformation: 'SECRET-PLACE',
      },
    })
    .withXmp(XMP)
    .toFormat(format, format === 'png' ? {} : { quality: 90 })
    .toBuffer();
}

/** Which secrets stand in a file. */
export const secretsIn = (file: Buffer): readonly string[] =>
  SECRETS.filter((secret) => file.includes(secret));
