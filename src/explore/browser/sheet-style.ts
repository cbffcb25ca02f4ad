// Stylesheet of what lies over the map: the sheet of a home, suggestions, and what is watched.
//
// It is constructed by script, which the page's policy permits, so that pages without script do not carry it.

const STYLE = `
.home-dialog{inset-block:0;inset-inline:auto 0;width:min(920px,calc(100vw - 64px));max-width:none;height:100vh;height:100dvh;max-height:none;margin:0;padding:0 24px 32px;border:0;border-inline-start:1px solid var(--line);background:var(--paper);color:var(--ink);box-shadow:var(--shadow);overflow:auto;overscroll-behavior:contain;scroll-padding-top:64px}
.home-dialog::backdrop{background:color-mix(in srgb,#1d2320 32%,transparent)}
.sheet-bar{position:sticky;top:0;z-index:3;display:flex;justify-content:flex-end;height:0}
.sheet-bar .btn{margin-top:10px;box-shadow:var(--shadow)}
.home-dialog .home-crumbs{padding-inline-end:110px;min-height:56px}
.home-dialog .home-missing{padding-top:72px}
.home-trouble{padding-top:72px}
.home-blocks{padding-top:28px}
.home-blocks :is(i,b){display:block;width:46%;height:14px;margin-bottom:14px;border-radius:3px;background:var(--hover)}
.home-blocks i:first-child{width:30%}
.home-blocks b{width:100%;height:388px;border-radius:8px}
.watch-dialog{width:min(440px,calc(100vw - 32px));margin:auto;padding:20px;border:1px solid var(--line);border-radius:6px;background:var(--raised);color:var(--ink);box-shadow:var(--shadow);font-size:var(--tool);line-height:1.5}
.watch-dialog::backdrop{background:color-mix(in srgb,#1d2320 32%,transparent)}
.watch-dialog h2{margin:0 0 4px}
.watch-dialog p{margin:0 0 12px}
.watch-dialog .what{font-weight:600;overflow-wrap:anywhere}
.watch-dialog .buttons{justify-content:flex-end;margin-top:16px}
.watch-dialog .notice{margin-top:12px}
.watch-dialog .notice .buttons{margin-top:0}
.watch.on{border-color:var(--accent);background:var(--wash)}
.find,.bar .search,.hero-find{position:relative}
.find{overflow:visible}
.suggestions.suggestions{position:absolute;z-index:9;inset-inline:-1px;top:calc(100% + 6px);min-width:280px;max-height:60vh;max-height:60dvh;margin:0;padding:6px;overflow:auto;list-style:none;border:1px solid var(--line);border-radius:6px;background:var(--raised);box-shadow:var(--shadow);font-size:var(--tool)}
.suggestions[hidden]{display:none}
.suggestions li{display:flex;justify-content:space-between;align-items:baseline;gap:12px;min-height:36px;margin:0;padding:7px 10px;border-radius:4px;cursor:pointer}
.suggestions li>:first-child{min-width:0;overflow-wrap:anywhere}
.suggestions :is(li:hover,[aria-selected=true]){background:var(--hover)}
.suggestions .quiet{font-size:var(--small);white-space:nowrap}
.site-header .host{display:contents}
.side>.handle[role=slider]{position:sticky;z-index:2;top:57px;width:100%;height:24px;margin:0;border-radius:14px 14px 0 0;background:var(--paper);cursor:grab;touch-action:none}
.side>.handle[role=slider]::before{content:"";position:absolute;inset-inline-start:calc(50% - 20px);top:10px;width:40px;height:4px;border-radius:2px;background:var(--edge)}
.side>.handle[role=slider]:active{cursor:grabbing}
.side>.handle[role=slider]:focus-visible{outline-offset:-2px}
@media (min-width:900px){.side>.handle[role=slider]{display:none}}
@media (max-width:899px){.suggestions li{min-height:44px;padding-block:11px}.home-dialog{width:100vw;padding-inline:16px;border:0}}
`;

let isAdopted = false;

export function adoptSheetStyle(): void {
  if (isAdopted) return;
  isAdopted = true;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  document.adoptedStyleSheets.push(sheet);
}
