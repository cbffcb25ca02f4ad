// Process that runs the embedded server: argument 1 is its options, argument 2 what to do with it.
import { openDatabase } from '../../../src/postgres/client/database.ts';
import {
  type EmbeddedServer,
  joinOrStartEmbedded,
  startEmbedded,
} from '../../../src/postgres/embedded/embedded.ts';

const [options = '{}', task = 'serve'] = process.argv.slice(2);
const settings = { log: (line: string) => console.error(line), ...JSON.parse(options) };

try {
  const server = task === 'join' ? await joinOrStartEmbedded(settings) : await startEmbedded(settings);
  const database = openDatabase({ socket: server.connection, maxConnections: 8 });
  console.log(JSON.stringify({ joined: server.joined, place: server.place, answer: await answer() }));
  if (task === 'write') await writeForEver();
  if (task === 'serve') await untilTold();
  await finish();

  async function answer(): Promise<unknown> {
    const [row] = await database.read((sql) => sql`select current_database() as name`);
    return row?.name;
  }

  /** Eight writers; each number is printed only after its commit was acknowledged. */
  async function writeForEver(): Promise<void> {
    await database.write((sql) => sql`create table if not exists written (id int primary key)`);
    const [row] = await database.read((sql) => sql`select coalesce(max(id), 0) + 1 as next from written`);
    let next: number = row?.next;
    const writer = async () => {
      for (;;) {
        const id = next++;
        await database.write((sql) => sql`insert into written values (${id})`);
        process.stdout.write(`${id}\n`);
      }
    };
    await Promise.all(Array.from({ length: 8 }, writer));
  }

  async function finish(): Promise<void> {
    await database.close();
    await stop(server);
  }
} catch (error) {
  console.log(JSON.stringify({ error: (error as Error).message }));
  process.exitCode = 1;
}

async function untilTold(): Promise<void> {
  await new Promise((resolve) => process.stdin.once('data', resolve).once('end', resolve));
  process.stdin.destroy();
}

async function stop(server: EmbeddedServer): Promise<void> {
  await server.stop();
}
