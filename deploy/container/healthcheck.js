// Health check of the container: succeeds while /readyz is 200, and prints the answer, which says what is missing.

const { HOST, PORT } = process.env;
const isEvery = !HOST || HOST === '0.0.0.0' || HOST === '::';
const host = isEvery ? '127.0.0.1' : HOST.includes(':') ? `[${HOST}]` : HOST;
const url = `http://${host}:${PORT || 8080}/readyz`;

try {
  const answer = await fetch(url, { signal: AbortSignal.timeout(4_000) });
  console.log(await answer.text());
  process.exitCode = answer.ok ? 0 : 1;
} catch (error) {
  console.log(`${url} does not answer: ${error.cause?.message ?? error.message}`);
  process.exitCode = 1;
}
