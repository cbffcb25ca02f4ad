// Proves that pictures lose their metadata but the copyright, and nothing of the picture: another program decodes both.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import sharp from 'sharp';
import { COPYRIGHT, photograph, secretsIn } from '../../../test/support/media/photographs.ts';
import { cleanPicture } from './clean-picture.ts';
import { NO_EXIF, readExif } from './exif.ts';
import { FORMATS, type ImageFormat, readHead } from './image-head.ts';

const pixelsOf = (file: Buffer) => sharp(file).raw().toBuffer();

async function cleaned(format: ImageFormat): Promise<{ readonly file: Buffer; readonly clean: Buffer }> {
  const file = await photograph(format);
  const clean = cleanPicture(file, format);
  assert.ok(clean !== null, format);
  return { file, clean };
}

test('places, devices and words go from each format; the copyright, and how the picture is turned, stay', async () => {
  for (const format of FORMATS) {
    const { file, clean } = await cleaned(format);
    assert.ok(secretsIn(file).length >= 2, `${format} had them`);
    assert.deepEqual(secretsIn(clean), [], format);
    const [before, after] = [await sharp(file).metadata(), await sharp(clean).metadata()];
    // AVIF keeps the place where it was.
    assert.ok(
      (after.xmp ?? Buffer.alloc(0)).every((byte) => byte === 0),
      format,
    );
    // 0x8825 names the list of places, as cameras and as we write it.
    const exif = after.exif ?? Buffer.alloc(0);
    assert.ok(!exif.includes(Buffer.from([0x25, 0x88])) && !exif.includes(Buffer.from([0x88, 0x25])), format);
    assert.ok(exif.includes(COPYRIGHT), format);
    assert.deepEqual(
      [after.width, after.height, after.orientation],
      [before.width, before.height, before.orientation],
    );
    assert.deepEqual(after.autoOrient, { width: 200, height: 400 }, format);
  }
});

test('pixels and colours stay as they are, to the bit', async () => {
  for (const format of FORMATS) {
    const { file, clean } = await cleaned(format);
    assert.ok((await pixelsOf(clean)).equals(await pixelsOf(file)), format);
    assert.ok(cleanPicture(clean, format)?.equals(clean), `${format}: nothing is left to clean`);
    assert.deepEqual(readHead(clean), readHead(file));
  }
  const coloured = await sharp(await photograph('jpeg'))
    .withIccProfile('p3')
    .jpeg({ progressive: true })
    .toBuffer();
  const { icc } = await sharp(cleanPicture(coloured, 'jpeg') ?? undefined).metadata();
  assert.deepEqual(icc, (await sharp(coloured).metadata()).icc);
  assert.ok(icc !== undefined);
});

test('what follows the end of a picture goes, as the second picture of a telephone, and comments go', async () => {
  const photo = await photograph('jpeg');
  const comment = Buffer.concat([Buffer.from([0xff, 0xfe, 0, 14]), Buffer.from('SECRET-PLACE')]);
  const commented = Buffer.concat([photo.subarray(0, 2), comment, photo.subarray(2), photo]);
  const clean = cleanPicture(commented, 'jpeg');
  assert.deepEqual(clean, cleanPicture(photo, 'jpeg'));
  const png = await photograph('png');
  assert.deepEqual(cleanPicture(Buffer.concat([png, photo]), 'png'), cleanPicture(png, 'png'));
});

test('a picture that is cut off stays one as far as it goes, and no damage is more than a refusal', async () => {
  const half = (await photograph('jpeg')).subarray(0, 20_000);
  const clean = cleanPicture(half, 'jpeg');
  assert.deepEqual(secretsIn(clean ?? half), []);
  const decoded = await sharp(clean ?? undefined, { failOn: 'none' })
    .raw()
    .toBuffer();
  assert.equal(decoded.length, 400 * 200 * 3);
  for (const format of FORMATS) {
    const file = await photograph(format, 64, 48);
    const damage = fc.array(fc.tuple(fc.nat(Math.min(file.length - 1, 2_000)), fc.nat(255)), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(damage, fc.nat(file.length), (changes, length) => {
        const damaged = Buffer.from(file.subarray(0, file.length - (length % 50)));
        for (const [at, byte] of changes) damaged[at % damaged.length] = byte;
        const result = cleanPicture(damaged, format);
        assert.ok(result === null || result.length <= damaged.length + 200);
      }),
      { numRuns: 300 },
    );
  }
});

test('EXIF that leads out of itself, or round in a circle, says nothing', () => {
  assert.deepEqual(readExif(Buffer.from('MM\0*\0\0\0\x08\xff\xff\0\0\0\0', 'latin1')), NO_EXIF);
  assert.deepEqual(readExif(Buffer.alloc(100, 'II')), NO_EXIF);
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 200 }),
      (bytes) => void readExif(Buffer.concat([Buffer.from('II*\0\x08\0\0\0', 'latin1'), bytes])),
    ),
  );
});
