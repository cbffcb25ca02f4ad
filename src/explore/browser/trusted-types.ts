// Trusted Types policy of pages with script: what may become a script's URL or HTML where a library does not ask a policy itself.

/** The worker of maplibre-gl, beside its module, wherever the service runs. */
const WORKER = /\/explore\/assets\/maplibre-gl-[0-9a-f]+\/dist\/maplibre-gl-worker\.mjs$/;

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Of browsers that have Trusted Types; the types of the DOM do not describe it yet. */
interface PolicyFactory {
  createPolicy(
    name: string,
    rules: { createScriptURL(text: string): string; createHTML(text: string): string },
  ): unknown;
}

/** Installed once a page, before a library that needs it runs: browsers ask the policy of this name by themselves. */
const { trustedTypes } = globalThis as { trustedTypes?: PolicyFactory };
trustedTypes?.createPolicy('default', {
  createScriptURL(text) {
    const url = new URL(text, location.href);
    if (url.origin !== location.origin || !WORKER.test(url.pathname))
      throw new TypeError(`No script may be loaded from ${url.origin}${url.pathname}`);
    return url.href;
  },
  createHTML: (text) => text.replace(/[&<>]/g, (char) => ENTITIES[char] ?? char),
});

export {};
