// What an MCP endpoint offers, as the page about it is told.
import type { AgentFeatures } from '../../../src/site/mcp-page.ts';

const access = { credentials: 'required', counts: 'month' } as const;

export const AGENTS: AgentFeatures = {
  tools: [
    { name: 'find_homes', title: 'Find <homes>', access: { ...access, scope: 'listings:read' } },
    {
      name: 'see_live',
      title: 'See a home live',
      access: { ...access, scope: 'listings:live', tier: 'pro' },
    },
    { name: 'watch_homes', title: 'Watch homes', access: { ...access, scope: 'watchers' } },
    { name: 'see_usage', title: 'See your limits', access: { credentials: 'required', counts: 'minute' } },
  ],
  resources: [{ uri: 'home://{id}', description: 'A home that can be read and followed by its id.' }],
  prompts: [{ name: 'find_home', description: 'Finds a home in an area, and compares the best of them.' }],
};
