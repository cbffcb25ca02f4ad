// Text for language models at /llms.txt: what the service is, and where its descriptions are.

/** In the form that llmstxt.org proposes: Markdown with a title, a summary, and links in sections. */
export function llmsText(publicUrl: string): string {
  const link = (name: string, path: string, about: string): string =>
    `- [${name}](${publicUrl}${path}): ${about}`;
  return `# Freehold

> A property-listing API: search of homes for sale and for rent, areas, market statistics, properties with their history, and a
> live stream of one listing.

- Base URL: ${publicUrl}. Responses are JSON; errors are problem documents (RFC 9457) with a stable \`code\` and a remedy in \`detail\`.
- Credentials: \`Authorization: Bearer\` with an API key (SERVICE- and a UUID) or an OAuth access token. Searches, areas and market statistics
  also work without, within tight limits. Never put a key into a URL or into code that others can read.
- To page, send \`page.nextCursor\` as \`cursor\` with the same parameters. Unknown parameters are errors.
- A 429 says in \`Retry-After\` how long to wait.

## API description

${link('OpenAPI as JSON', '/openapi.json', 'every operation, with an example of each parameter')}
${link('OpenAPI as YAML', '/openapi.yaml', 'the same')}

## Documentation

${link('Quickstart', '/docs/start', 'from a key to the first stream')}
${link('OAuth', '/docs/oauth', 'access for apps and MCP clients: discovery, PKCE, refresh, revocation')}
${link('Metrics', '/docs/metrics', 'what each market metric means')}
${link('Limits', '/docs/limits', 'who may call what, and how often')}
${link('Errors', '/docs/errors', 'each code, and what to do next')}

## Optional

${link('Readiness', '/readyz?verbose', 'whether the service is ready')}
`;
}
