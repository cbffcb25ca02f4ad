// Tests of times in words.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { age, date, dateAndTime, dayAndTime, timeUntil } from './time.ts';

const NOW = Date.UTC(2026, 10, 22, 0, 30);

test('a time is written as people read it, and as programs do', () => {
  assert.equal(
    dateAndTime(Date.UTC(2026, 10, 21, 19, 15)).text,
    '<time datetime="2026-11-21T19:15:00.000Z">21 November 2026 at 19:15 UTC</time>',
  );
  assert.equal(date(NOW).text, '<time datetime="2026-11-22">22 November 2026</time>');
});

test('yesterday, today and tomorrow are calendar days in UTC; other days have their date', () => {
  const words = (at: number) => dayAndTime(at, NOW).text.replaceAll(/<[^>]*>/g, '');
  const minutes = (count: number) => NOW + count * 60_000;
  assert.equal(words(NOW), 'today at 00:30 UTC');
  assert.equal(words(minutes(-31)), 'yesterday at 23:59 UTC');
  assert.equal(words(minutes(23 * 60 + 29)), 'today at 23:59 UTC');
  assert.equal(words(minutes(23 * 60 + 30)), 'tomorrow at 00:00 UTC');
  assert.equal(words(minutes(-24 * 60 - 31)), '20 November 2026 at 23:59 UTC');
  assert.equal(words(minutes(48 * 60)), '24 November 2026 at 00:30 UTC');
});

test('a wait is rounded to the largest unit of which there are two', () => {
  const words = (seconds: number) => timeUntil(NOW + seconds * 1_000, NOW);
  const [minute, hour, day] = [60, 3_600, 86_400];
  assert.equal(words(2 * day), 'in 2 days');
  assert.equal(words(3 * day - 5 * hour), 'in 3 days');
  assert.equal(words(7 * day + 11 * hour), 'in 7 days');
  assert.equal(words(1.5 * day - 1), 'in 36 hours');
  assert.equal(words(2 * hour - 1), 'in 2 hours');
  assert.equal(words(1.5 * hour - 31), 'in 89 minutes');
  assert.equal(words(2 * minute), 'in 2 minutes');
  assert.equal(words(1.5 * minute - 1), 'in 1 minute');
  assert.equal(words(minute - 1), 'in less than a minute');
  assert.equal(words(-day), 'in less than a minute');
});

test('an age has its largest unit alone, and is never negative', () => {
  const words = (seconds: number) => age(NOW - seconds * 1_000, NOW);
  assert.deepEqual([-5, 14, 60, 3_599, 3_600, 48 * 3_600].map(words), [
    '0 s ago',
    '14 s ago',
    '1 min ago',
    '59 min ago',
    '1 h ago',
    '2 days ago',
  ]);
});
