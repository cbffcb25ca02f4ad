// Host of MCP Apps: the official host library in this process, over a sandboxed frame of a browser under the default policy of the extension.

import {
  AppBridge,
  type McpUiHostCapabilities,
  type McpUiHostContext,
} from '@modelcontextprotocol/ext-apps/app-bridge';
import type { Browser, BrowserContextOptions, Frame, Page } from 'playwright-core';

const HOST = 'https://host.test';
const SANDBOX = 'https://sandbox.test';
/** What hosts must use where a page declares no domains. */
const POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; connect-src 'none'";

export interface AppHostOptions extends BrowserContextOptions {
  readonly html: string;
  readonly context?: McpUiHostContext;
  readonly capabilities?: McpUiHostCapabilities;
}

export interface AppHost {
  readonly bridge: AppBridge;
  readonly page: Page;
  readonly frame: Frame;
  /** Links that the page asked to open. */
  readonly links: readonly string[];
  readonly sizes: readonly { readonly width?: number | undefined; readonly height?: number | undefined }[];
  /** Requests that left the sandbox, complaints on the console, errors of scripts. */
  readonly faults: readonly string[];
}

/** Shows a page as hosts do, and resolves once it has said hello. */
export async function openApp(
  browser: Browser,
  { html, context = {}, capabilities = { openLinks: {} }, ...options }: AppHostOptions,
): Promise<AppHost> {
  const browserContext = await browser.newContext(options);
  const page = await browserContext.newPage();
  const faults: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
  });
  page.on('pageerror', ({ message }) => faults.push(message));
  await page.route('**/*', (route) => {
    const url = route.request().url();
    const type = { 'content-type': 'text/html; charset=utf-8' };
    if (url === `${HOST}/`) return route.fulfill({ body: HOST_PAGE, headers: type });
    if (url === `${SANDBOX}/app`)
      return route.fulfill({ body: html, headers: { ...type, 'content-security-policy': POLICY } });
    faults.push(url);
    return route.abort();
  });
  const links: string[] = [];
  const sizes: AppHost['sizes'][number][] = [];
  const bridge = new AppBridge(null, { name: 'test-host', version: '1' }, capabilities, {
    hostContext: context,
  });
  const transport: Parameters<AppBridge['connect']>[0] = {
    start: async () => undefined,
    close: async () => undefined,
    send: async (message) => {
      await page.evaluate(`toApp(${JSON.stringify(message)})`);
    },
  };
  await page.exposeFunction('toHost', (message: never) => transport.onmessage?.(message));
  bridge.onopenlink = async ({ url }) => {
    links.push(url);
    return {};
  };
  bridge.onsizechange = (size) => void sizes.push(size);
  const hello = new Promise<void>((resolve) => {
    bridge.oninitialized = () => resolve();
  });
  await bridge.connect(transport);
  await page.goto(`${HOST}/`);
  await hello;
  const frame = page.frames().find((each) => each.url() === `${SANDBOX}/app`);
  if (frame === undefined) throw new Error('The host has no frame');
  return { bridge, page, frame, links, sizes, faults };
}

const HOST_PAGE = `<!doctype html><html lang="en"><title>Host</title><style>body{margin:0}h2{position:absolute;opacity:0}iframe{border:0;width:100%;height:100vh;display:block}</style>
<iframe title="App" sandbox="allow-scripts allow-same-origin" src="${SANDBOX}/app"></iframe>
<script>
const { contentWindow } = document.querySelector('iframe');
addEventListener('message', ({ source, data }) => { if (source === contentWindow) toHost(data); });
const toApp = (message) => contentWindow.postMessage(message, '*');
</script>`;
