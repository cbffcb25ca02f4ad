// Figures of a chart at the pointer: those of the table below it, one row for each step along the chart.

interface Row {
  readonly title: string;
  /** Name and figure. */
  readonly cells: readonly (readonly [string, string])[];
}

/** Pixels between the pointer's line and the note. */
const GAP = 12;
const NOTE_WIDTH = 214;

/** Shows a note with the figures at the pointer; the arrow keys move it where the chart has the focus, Escape takes it away. */
export function showFiguresAtPointer(box: HTMLElement): void {
  const chart = box.querySelector<SVGSVGElement>('svg.chart');
  const table = box.querySelector('table');
  if (chart === null || table === null) return;
  const rows = readRows(table);
  const note = new Note(box, chart, rows);
  chart.addEventListener('pointermove', (event) => note.show(note.stepAt(event.clientX)));
  chart.addEventListener('pointerdown', (event) => note.show(note.stepAt(event.clientX)));
  chart.addEventListener('pointerleave', () => note.hide());
  chart.addEventListener('blur', () => note.hide());
  chart.addEventListener('focus', () => note.show(rows.length - 1));
  chart.addEventListener('keydown', (event) => {
    const next = stepFor(event.key, note.step ?? rows.length - 1, rows.length);
    if (event.key === 'Escape') note.hide();
    if (next === null) return;
    event.preventDefault();
    note.show(next);
  });
  chart.setAttribute('tabindex', '0');
  // The name stays; as an application it hands arrow keys on, and says what the note says.
  chart.setAttribute('role', 'application');
  chart.setAttribute('aria-roledescription', 'chart, arrow keys read its figures');
}

function stepFor(key: string, step: number, count: number): number | null {
  switch (key) {
    case 'ArrowLeft':
      return Math.max(0, step - 1);
    case 'ArrowRight':
      return Math.min(count - 1, step + 1);
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return null;
  }
}

function readRows(table: HTMLTableElement): readonly Row[] {
  const texts = (cells: Iterable<Element>): string[] => [...cells].map((cell) => cell.textContent);
  const [, ...names] = texts(table.tHead?.rows[0]?.cells ?? []);
  return [...(table.tBodies[0]?.rows ?? [])].map((row) => {
    const [title = '', ...figures] = texts(row.cells);
    return { title, cells: names.map((name, at) => [name, figures[at] ?? ''] as const) };
  });
}

class Note {
  /** Null while it is hidden. */
  step: number | null = null;
  readonly #box: HTMLElement;
  readonly #chart: SVGSVGElement;
  readonly #rows: readonly Row[];
  readonly #note = document.createElement('div');
  readonly #line = document.createElement('div');

  constructor(box: HTMLElement, chart: SVGSVGElement, rows: readonly Row[]) {
    this.#box = box;
    this.#chart = chart;
    this.#rows = rows;
    this.#note.className = 'tip';
    this.#note.setAttribute('role', 'status');
    this.#line.className = 'hair';
    this.#note.hidden = true;
    this.#line.hidden = true;
    box.append(this.#line, this.#note);
  }

  /** The row at a horizontal position in the window. */
  stepAt(clientX: number): number {
    const field = this.#field();
    const share = (clientX - field.left) / field.width;
    return Math.max(0, Math.min(this.#rows.length - 1, Math.floor(share * this.#rows.length)));
  }

  show(step: number): void {
    if (step === this.step) return;
    const row = this.#rows[step];
    if (row === undefined) return;
    this.step = step;
    const title = document.createElement('strong');
    title.textContent = row.title;
    const list = document.createElement('dl');
    for (const [name, figure] of row.cells) {
      list.append(element('dt', name), element('dd', figure));
    }
    this.#note.replaceChildren(title, list);
    this.#note.hidden = false;
    this.#line.hidden = false;
    this.#place(step);
  }

  hide(): void {
    this.step = null;
    this.#note.hidden = true;
    this.#line.hidden = true;
  }

  /** On that side of its line that has more room. */
  #place(step: number): void {
    const frame = this.#box.getBoundingClientRect();
    const field = this.#field();
    const chart = this.#chart.getBoundingClientRect();
    const x = field.left - frame.left + ((step + 0.5) / this.#rows.length) * field.width;
    const isLeft = x > frame.width / 2;
    const wanted = isLeft ? x - GAP - NOTE_WIDTH : x + GAP;
    const left = Math.max(4, Math.min(frame.width - NOTE_WIDTH - 4, wanted));
    this.#note.style.left = `${left}px`;
    this.#note.style.top = `${chart.top - frame.top}px`;
    this.#line.style.left = `${x}px`;
    this.#line.style.top = `${chart.top - frame.top}px`;
    this.#line.style.height = `${chart.height - 22}px`;
  }

  /** Where the data is; a histogram fills its chart. */
  #field(): DOMRect {
    const field = this.#chart.querySelector('.plot');
    const chart = this.#chart.getBoundingClientRect();
    if (field === null) return chart;
    const { x } = getComputedStyle(field);
    const inset = x.endsWith('%') ? (Number.parseFloat(x) / 100) * chart.width : Number.parseFloat(x);
    return new DOMRect(chart.left + inset, chart.top, chart.width - inset, chart.height);
  }
}

function element(name: 'dt' | 'dd', text: string): HTMLElement {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}
