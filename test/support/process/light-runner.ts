// Test runner of Node that does not watch every promise. To be imported before anything imports node:test.

import hooks, { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';

/**
 * To know which test is running where something is called or thrown, the runner has each promise and timer of the process
 * noted, which takes up to nine tenths of the processor's time. A value that follows the calls of a test says the same, for
 * nothing. The runner takes what it needs of these hooks once, as it is loaded, so nobody else sees what it is given here.
 */
const { createHook, executionAsyncId } = hooks;
const running = new AsyncLocalStorage<number>();
type Init = NonNullable<Parameters<typeof createHook>[0]['init']>;
let remember: Init | undefined;

class TestResource extends AsyncResource {
  override runInAsyncScope<This, Args extends unknown[], Result>(
    work: (this: This, ...args: Args) => Result,
    self?: This,
    ...args: Args
  ): Result {
    const id = this.asyncId();
    remember?.(id, 'Test', 0, this);
    return super.runInAsyncScope(() => running.run(id, () => Reflect.apply(work, self, args)));
  }
}

Object.assign(hooks, {
  AsyncResource: TestResource,
  executionAsyncId: () => running.getStore() ?? 0,
  createHook({ init }: { readonly init?: Init }) {
    remember = init;
    return { enable() {}, disable() {} };
  },
});
await import('node:test');
Object.assign(hooks, { AsyncResource, executionAsyncId, createHook });
