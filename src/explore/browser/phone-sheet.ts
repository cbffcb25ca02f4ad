// Sheet of the list over the map of a telephone: its handle drags it between three heights, and arrow keys do the same.

/** From lowest to highest: the count alone, half of the screen, all of it. */
const STOPS = [
  { height: () => LOW, words: 'the count alone' },
  { height: () => HALF, words: 'half of the screen' },
  { height: () => innerHeight - HEADER, words: 'the whole screen' },
] as const;
/** Pixels. */
const LOW = 132;
const HALF = 412;
const HEADER = 57;
/** A tap moves by no more than these pixels. */
const TAP = 6;
/** Pixels in a millisecond from which a flick decides, whatever is nearest. */
const FLICK = 0.5;

const isPhone = matchMedia('(max-width:899px)');

interface Drag {
  readonly pointer: number;
  readonly startY: number;
  readonly startHeight: number;
  lastY: number;
  lastTime: number;
  speed: number;
}

export interface PhoneSheetEvents {
  /** The map has another height now. */
  onRest(): void;
}

export class PhoneSheet {
  readonly #side: HTMLElement;
  readonly #events: PhoneSheetEvents;
  readonly #handle = document.createElement('div');
  #stop = 1;
  #drag: Drag | null = null;

  constructor(side: HTMLElement, events: PhoneSheetEvents) {
    this.#side = side;
    this.#events = events;
    this.#handle.className = 'handle';
    for (const [name, value] of [
      ['role', 'slider'],
      ['tabindex', '0'],
      ['aria-label', 'Height of the list'],
      ['aria-orientation', 'vertical'],
      ['aria-valuemin', '0'],
      ['aria-valuemax', String(STOPS.length - 1)],
    ] as const)
      this.#handle.setAttribute(name, value);
    side.querySelector(':scope > .handle')?.replaceWith(this.#handle);
    this.#say();
    this.#handle.addEventListener('keydown', (event) => this.#onKey(event));
    this.#handle.addEventListener('pointerdown', (event) => this.#start(event));
    this.#handle.addEventListener('pointermove', (event) => this.#move(event));
    this.#handle.addEventListener('pointerup', (event) => this.#end(event));
    this.#handle.addEventListener('pointercancel', () => this.#settle(this.#stop));
    // The list also scrolls over the map by itself.
    addEventListener('scroll', () => this.#followScroll(), { passive: true });
    isPhone.addEventListener('change', () => this.#settle(1));
  }

  #onKey(event: KeyboardEvent): void {
    const stop = {
      ArrowUp: this.#stop + 1,
      ArrowRight: this.#stop + 1,
      ArrowDown: this.#stop - 1,
      ArrowLeft: this.#stop - 1,
      Home: 0,
      End: STOPS.length - 1,
    }[event.key];
    if (stop === undefined) return;
    event.preventDefault();
    this.#settle(Math.max(0, Math.min(STOPS.length - 1, stop)));
  }

  #start(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.#handle.setPointerCapture(event.pointerId);
    const { clientY, timeStamp, pointerId } = event;
    this.#drag = {
      pointer: pointerId,
      startY: clientY,
      startHeight: innerHeight - this.#side.getBoundingClientRect().top,
      lastY: clientY,
      lastTime: timeStamp,
      speed: 0,
    };
  }

  #move({ pointerId, clientY, timeStamp }: PointerEvent): void {
    const drag = this.#drag;
    if (drag?.pointer !== pointerId) return;
    const passed = timeStamp - drag.lastTime;
    if (passed > 0) drag.speed = (drag.lastY - clientY) / passed;
    drag.lastY = clientY;
    drag.lastTime = timeStamp;
    this.#show(drag.startHeight + drag.startY - clientY);
  }

  #end({ clientY }: PointerEvent): void {
    const drag = this.#drag;
    if (drag === null) return;
    const height = drag.startHeight + drag.startY - clientY;
    if (Math.abs(clientY - drag.startY) <= TAP) this.#settle(this.#stop === 1 ? 2 : 1);
    else if (Math.abs(drag.speed) >= FLICK) this.#settle(stopAfter(height, drag.speed > 0));
    else this.#settle(nearestStop(height));
  }

  /** While it is dragged the map below stays as large as it is: the list is pushed down, or scrolled up over it. */
  #show(wanted: number): void {
    const height = Math.max(LOW, Math.min(innerHeight - HEADER, wanted));
    const rest = this.#restHeight();
    this.#side.style.transform = height < rest ? `translateY(${rest - height}px)` : '';
    scrollTo(0, Math.max(0, height - rest));
  }

  #settle(stop: number): void {
    this.#drag = null;
    this.#side.style.transform = '';
    const former = this.#restHeight();
    this.#stop = stop;
    // All of the screen is the list scrolled up to the header, over a map of half its height.
    const rest = stop === 0 ? LOW : HALF;
    document.documentElement.style.setProperty('--sheet', `${rest}px`);
    if (isPhone.matches) scrollTo(0, stop === 2 ? innerHeight - HEADER - rest : 0);
    this.#say();
    if (rest !== former) this.#events.onRest();
  }

  /** Height of the sheet where the page is not scrolled. */
  #restHeight(): number {
    return this.#stop === 0 ? LOW : HALF;
  }

  #followScroll(): void {
    if (this.#drag !== null || !isPhone.matches) return;
    const isWhole = scrollY >= innerHeight - HEADER - this.#restHeight() - 1;
    if (isWhole === (this.#stop === 2)) return;
    if (isWhole) this.#stop = 2;
    else if (this.#stop === 2) this.#stop = 1;
    this.#say();
  }

  #say(): void {
    this.#handle.setAttribute('aria-valuenow', String(this.#stop));
    this.#handle.setAttribute('aria-valuetext', STOPS[this.#stop]?.words ?? '');
  }
}

function nearestStop(height: number): number {
  const distances = STOPS.map((stop) => Math.abs(stop.height() - height));
  return distances.indexOf(Math.min(...distances));
}

/** The next one in the direction of a flick. */
function stopAfter(height: number, isUp: boolean): number {
  const stops = STOPS.map((stop) => stop.height());
  if (isUp) {
    const next = stops.findIndex((each) => each > height);
    return next < 0 ? stops.length - 1 : next;
  }
  return Math.max(
    0,
    stops.findLastIndex((each) => each < height),
  );
}
