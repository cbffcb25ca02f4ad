// Summary of the service for language models, at /llms.txt.
import { DOCUMENT_NAMES, DOCUMENTS, type DocumentName, FOR_OPERATORS } from './documents.ts';

/** Summary for language models, in the form of llmstxt.org. */
export function llmsText(publicUrl: string): string {
  const link = (name: string, path: string, about: string): string =>
    `- [${name}](${publicUrl}${path}): ${about}`;
  const document = (name: DocumentName): string => {
    const [title, about] = DOCUMENTS[name];
    return link(title, `/docs/${name}.md`, about);
  };
  return `# Freehold

> A property-listing API: search of homes for sale and for rent, areas, market statistics, properties with their history, and a
> live stream of one listing.

- Base URL: ${publicUrl}. Responses are JSON; errors are problem documents (RFC 9457) with a stable \`code\` and a remedy in \`detail\`.
- Credentials: \`Authorization: Bearer\` with an API key (SERVICE- and a UUID) or an OAuth access token. Searches, areas and market statistics
  also work without, within tight limits. Never put a key into a URL or into code that others can read.
- Agents connect to ${publicUrl}/mcp, an endpoint of the Model Context Protocol, with a key or OAuth.
- To page, send \`page.nextCursor\` as \`cursor\` with the same parameters. Unknown parameters are errors.
- A 429 says in \`Retry-After\` how long to wait.

## API description

${link('OpenAPI as JSON', '/openapi.json', 'every operation, with an example of each parameter')}
${link('OpenAPI as YAML', '/openapi.yaml', 'the same')}

## Documentation

${DOCUMENT_NAMES.filter((name) => !FOR_OPERATORS.has(name))
  .map(document)
  .join('\n')}
${link('Metrics', '/docs/metrics', 'what each market metric means')}
${link('Errors', '/docs/errors', 'each code, and what to do next')}

## Optional

${[...FOR_OPERATORS].map(document).join('\n')}
${link('Readiness', '/readyz?verbose', 'whether the service is ready')}
`;
}
