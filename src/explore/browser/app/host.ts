// The host of an MCP App: JSON-RPC by messages to the window that shows the page.

export type Json = Readonly<Record<string, unknown>>;

export interface HostEvents {
  /** Arguments of the call, once they are complete. */
  onInput(args: Json): void;
  onResult(result: Json): void;
  onCancelled(reason: string): void;
  /** What the host says of itself: all of it at first, then what has changed. */
  onContext(context: Json): void;
}

/** The version of the extension that the page speaks. */
const PROTOCOL = '2026-01-26';
const NOT_FOUND = -32_601;

export const objectOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};

export class Host {
  readonly #pending = new Map<number, PromiseWithResolvers<Json>>();
  readonly #events: HostEvents;
  #nextId = 1;
  #capabilities: Json = {};

  constructor(events: HostEvents) {
    this.#events = events;
    addEventListener('message', ({ source, data }: MessageEvent<unknown>) => {
      // Anybody may send messages to a page: those of its host count.
      if (source === parent) this.#receive(objectOf(data));
    });
  }

  /** Says hello, and asks who the host is. */
  async connect(version: string): Promise<void> {
    const answer = await this.request('ui/initialize', {
      appInfo: { name: 'freehold', title: 'Freehold', version },
      appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] },
      protocolVersion: PROTOCOL,
    });
    this.#capabilities = objectOf(answer.hostCapabilities);
    this.#events.onContext(objectOf(answer.hostContext));
    this.notify('ui/notifications/initialized', {});
  }

  /** Whether the host offers something, such as `serverTools`. */
  can(capability: string): boolean {
    return this.#capabilities[capability] !== undefined;
  }

  /** Rejects with what the host says. */
  request(method: string, params: Json): Promise<Json> {
    const id = this.#nextId;
    this.#nextId += 1;
    const answer = Promise.withResolvers<Json>();
    this.#pending.set(id, answer);
    this.#send({ id, method, params });
    return answer.promise;
  }

  notify(method: string, params: Json): void {
    this.#send({ method, params });
  }

  #send(message: Json): void {
    parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
  }

  #receive({ jsonrpc, id, method, params, result, error }: Json): void {
    if (jsonrpc !== '2.0') return;
    if (typeof method !== 'string') this.#settle(Number(id), objectOf(result), error);
    else if (id === undefined) this.#notified(method, objectOf(params));
    else if (method === 'ping' || method === 'ui/resource-teardown') this.#send({ id, result: {} });
    else this.#send({ id, error: { code: NOT_FOUND, message: `There is no method ${method}.` } });
  }

  #settle(id: number, result: Json, error: unknown): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (error === undefined) pending?.resolve(result);
    else pending?.reject(new Error(String(objectOf(error).message ?? 'The host refused.')));
  }

  #notified(method: string, params: Json): void {
    if (method === 'ui/notifications/tool-input') this.#events.onInput(objectOf(params.arguments));
    if (method === 'ui/notifications/tool-result') this.#events.onResult(params);
    if (method === 'ui/notifications/tool-cancelled')
      this.#events.onCancelled(typeof params.reason === 'string' ? params.reason : '');
    if (method === 'ui/notifications/host-context-changed') this.#events.onContext(params);
  }
}
