// Photos of a home one at a time, over the page: by keys, by swiping, and from a strip of all of them.

interface ViewedPhoto {
  readonly url: string;
  /** A smaller one of the same. */
  readonly small: string;
  readonly alt: string;
  readonly caption: string;
}

/** Pixels that a finger moves before it means the next photo. */
const SWIPE = 40;

/** Links to photos open them in a dialog; without this module they lead to the same photos, one below the other. */
export function startPhotoViewer(page: ParentNode): void {
  const figures = [...page.querySelectorAll('.light-box figure')];
  const photos = figures.flatMap((figure): ViewedPhoto[] => {
    const picture = figure.querySelector('img');
    if (picture === null) return [];
    const caption = figure.querySelector('figcaption')?.textContent ?? '';
    const url = picture.getAttribute('src') ?? '';
    return [{ url, small: picture.dataset.small ?? url, alt: picture.alt, caption }];
  });
  if (photos.length === 0) return;
  const viewer = new PhotoViewer(
    photos,
    page.querySelector('.light-box')?.getAttribute('aria-label') ?? 'Photos',
    page instanceof HTMLElement ? page : document.body,
  );
  page.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a[href^="#photo"]') : null;
    const at = link === null ? null : indexOf(link.getAttribute('href') ?? '');
    if (at === null || isForNewTab(event)) return;
    event.preventDefault();
    viewer.open(at);
  });
  const linked = indexOf(location.hash);
  if (linked === null) return;
  // The photos that the address names are already shown without this module: the dialog takes their place.
  location.replace('#content');
  viewer.open(linked);
}

const isForNewTab = (event: Event): boolean =>
  event instanceof MouseEvent && (event.ctrlKey || event.metaKey || event.shiftKey);

/** `#photos` is the first one. */
function indexOf(hash: string): number | null {
  if (hash === '#photos') return 0;
  const [, number] = /^#photo-(\d+)$/.exec(hash) ?? [];
  return number === undefined ? null : Number(number) - 1;
}

class PhotoViewer {
  readonly #photos: readonly ViewedPhoto[];
  readonly #dialog = document.createElement('dialog');
  readonly #picture = document.createElement('img');
  readonly #count = document.createElement('p');
  readonly #strip: readonly HTMLButtonElement[];
  #at = 0;

  /** `place`: the dialog goes with it. */
  constructor(photos: readonly ViewedPhoto[], label: string, place: HTMLElement) {
    this.#photos = photos;
    this.#dialog.className = 'home-viewer';
    this.#dialog.setAttribute('aria-label', label);
    this.#picture.referrerPolicy = 'no-referrer';
    this.#count.setAttribute('aria-live', 'polite');
    const close = button('Close', 'btn', () => this.#dialog.close());
    const head = element('header', this.#count, close);
    const stage = element('div', this.#picture);
    stage.className = 'stage';
    this.#strip = photos.map((photo, at) => this.#thumbnail(photo, at));
    if (photos.length > 1) {
      stage.prepend(button('‹', 'btn step', () => this.#show(this.#at - 1), 'Photo before'));
      stage.append(button('›', 'btn step', () => this.#show(this.#at + 1), 'Next photo'));
    }
    const strip = element('div', ...this.#strip);
    strip.className = 'strip';
    this.#dialog.append(head, stage, strip);
    this.#dialog.addEventListener('keydown', (event) => this.#onKey(event));
    this.#listenForSwipes(stage);
    place.append(this.#dialog);
  }

  open(at: number): void {
    this.#show(at);
    this.#dialog.showModal();
  }

  #thumbnail({ small }: ViewedPhoto, at: number): HTMLButtonElement {
    const picture = document.createElement('img');
    picture.loading = 'lazy';
    picture.alt = '';
    picture.referrerPolicy = 'no-referrer';
    picture.src = small;
    const each = button('', '', () => this.#show(at), `Photo ${at + 1} of ${this.#photos.length}`);
    each.append(picture);
    return each;
  }

  /** Before the first photo comes the last one. */
  #show(at: number): void {
    const count = this.#photos.length;
    this.#at = (at + count) % count;
    const photo = this.#photos[this.#at];
    if (photo === undefined) return;
    this.#picture.src = photo.url;
    this.#picture.alt = photo.alt;
    this.#count.textContent = photo.caption;
    for (const [index, each] of this.#strip.entries()) {
      each.setAttribute('aria-current', String(index === this.#at));
      if (index === this.#at) each.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    }
  }

  #onKey(event: KeyboardEvent): void {
    const target = {
      ArrowLeft: this.#at - 1,
      ArrowRight: this.#at + 1,
      Home: 0,
      End: this.#photos.length - 1,
    }[event.key];
    if (target !== undefined) {
      event.preventDefault();
      this.#show(target);
    } else if (event.key === 'Tab') this.#keepFocus(event);
  }

  /** A dialog leaves the page behind it alone, but Tab would still leave the document. */
  #keepFocus(event: KeyboardEvent): void {
    const buttons = [...this.#dialog.querySelectorAll('button')];
    const [first, last] = [buttons[0], buttons.at(-1)];
    const edge = event.shiftKey ? first : last;
    if (document.activeElement !== edge) return;
    event.preventDefault();
    (event.shiftKey ? last : first)?.focus();
  }

  #listenForSwipes(stage: HTMLElement): void {
    let start: number | null = null;
    stage.addEventListener('pointerdown', ({ clientX }) => {
      start = clientX;
    });
    stage.addEventListener('pointerup', ({ clientX }) => {
      if (start !== null && Math.abs(clientX - start) > SWIPE)
        this.#show(this.#at + (clientX < start ? 1 : -1));
      start = null;
    });
    this.#picture.draggable = false;
  }
}

function element(name: string, ...children: readonly Node[]): HTMLElement {
  const created = document.createElement(name);
  created.append(...children);
  return created;
}

function button(text: string, kind: string, onClick: () => void, label?: string): HTMLButtonElement {
  const created = document.createElement('button');
  created.type = 'button';
  created.className = kind;
  created.textContent = text;
  if (label !== undefined) created.setAttribute('aria-label', label);
  created.addEventListener('click', onClick);
  return created;
}
