// Mistakes of a first hour whose refusals say what to send instead.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { problemOf } from '../support/service/http-server.ts';
import { startService } from '../support/service/service.ts';

const service = await startService({ after });
const authorization = `Bearer ${service.keys.internal}`;

async function detailOf(query: string): Promise<string> {
  const answer = await service.get(`/v1/search/sales?${query}`, service.keys.internal);
  assert.equal(answer.status, 400, query);
  return (await problemOf(answer)).detail;
}

async function detailOfBody(body: unknown): Promise<string> {
  const headers = { authorization, 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  const answer = await fetch(`${service.url}/v1/search/sales`, init);
  assert.equal(answer.status, 400);
  return (await problemOf(answer)).detail;
}

test('whoever looks for page numbers learns what a cursor takes', async () => {
  for (const query of ['page=2', 'offset=20'])
    assert.match(await detailOf(query), /send page\.nextCursor of the previous page as cursor/);
});

test('an order or a figure that does not exist is refused as one of those that do', async () => {
  assert.match(
    await detailOf('sort=cost'),
    /^The parameter sort must be one of price, .*prefix with - for descending/,
  );
  assert.match(await detailOf('stats=price'), /^The parameter stats must be one of inventory, /);
});

test('a value of two forms is refused with what it must be, both times', async () => {
  assert.match(await detailOf('bedrooms=2-4'), /must be a whole number.*, or must be a range such as 2:4/);
});

test('a polygon of one list of corners is refused with the form that it lacks', async () => {
  const corners = [
    [-137.2, 40.9],
    [-137, 40.9],
    [-137, 41],
  ];
  for (const polygon of [corners, { type: 'Polygon', coordinates: corners }])
    assert.match(
      await detailOfBody({ polygon }),
      /is one ring: put it in a list of rings, as in \[\[\[lng, lat\]/,
    );
});

test('a single value where a body takes a list is refused with the brackets that it lacks', async () => {
  assert.match(await detailOfBody({ sort: 'price' }), /^The member sort must be a list, in square brackets/);
});

test('an address at which nothing is leads to the list of those at which something is', async () => {
  const { detail } = await problemOf(await service.get('/v1/nothing-like-it'));
  const [address = ''] = /\/openapi\.json/.exec(detail) ?? [];
  assert.equal((await service.get(address)).status, 200);
});
