// Process that migrates: arguments are a database URL and the folder of migrations.
import { openDatabase } from '../../../src/postgres/client/database.ts';
import { migrate } from '../../../src/postgres/migrations/migrate.ts';

const [url = '', folder = ''] = process.argv.slice(2);
const database = openDatabase({ url });
console.log(JSON.stringify(await migrate(database, { folder })));
await database.close();
