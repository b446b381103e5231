/**
 * How a page looks before its author says otherwise: one column on phones, more where there is room; type and spaces that
 * grow with the screen; the fonts that a visitor’s system has, for they need no fetching. Bands that share the page’s own
 * background need one space between them, not two.
 */
export const look = `
*,::before,::after{box-sizing:border-box}
:root{--font:Inter,ui-sans-serif,system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;--width:70rem;
--c-radius:.75rem;--gutter:clamp(1.25rem,5vw,3rem);-webkit-text-size-adjust:100%;text-size-adjust:100%;scroll-behavior:smooth}
body{margin:0;min-height:100vh;font:clamp(1.0625rem,1rem + .25vw,1.1875rem)/1.65 var(--font);overflow-wrap:break-word;
overflow-x:clip;-webkit-font-smoothing:antialiased}
main{display:block}
[hidden]{display:none!important}
img,video,iframe{max-width:100%}
img{height:auto;vertical-align:middle}
a{color:var(--c-link);text-underline-offset:.18em;text-decoration-thickness:.08em}
a:hover{text-decoration-thickness:.14em}
:focus-visible{outline:3px solid var(--c-link);outline-offset:3px;border-radius:.25rem}
.band{position:relative;padding:clamp(2.5rem,1.5rem + 5vw,5.5rem) var(--gutter)}
.band:has(.menu):not(:has(h1,h2,h3,.form,.action,.film)){padding-block:.9rem;border-bottom:1px solid var(--c-rule)}
.band:has(.menu):not(:has(h1,h2,h3,.form,.action,.film)) .row{gap:.35rem 2rem}
.plain + .plain:not(:has(.menu)){padding-top:0}
.pictured{isolation:isolate;overflow:hidden}
.backdrop{position:absolute;inset:0;z-index:-1;width:100%;height:100%;object-fit:cover}
.in{max-width:var(--width);margin-inline:auto}
.row{display:grid;gap:clamp(2.25rem,4vw,3.5rem);align-items:start}
.row + .row{margin-top:clamp(1.75rem,4vw,3.5rem)}
.column{min-width:0;max-width:100%}
.column > *{margin-block:0}
.column > * + *{margin-top:1.25rem}
.column > .title + *{margin-top:1rem}
.column > * + .countdown,.column > * + .film,.column > * + .figure{margin-top:1.75rem}
.column > * + .title{margin-top:2.25rem}
.column > * + .action{margin-top:1.75rem}
.column > .action + .action{margin-top:1rem}
.column > .spacer,.column > .spacer + *{margin-top:0}
.to-left{text-align:left}
.to-center{text-align:center}
.to-right{text-align:right}
.to-justify{text-align:justify}
.title{margin:0;max-width:24em;font-weight:700;line-height:1.15;letter-spacing:-.02em;text-wrap:balance}
h1.title{font-size:clamp(2.25rem,1.45rem + 3.4vw,3.75rem);line-height:1.08;letter-spacing:-.03em;font-weight:750}
h2.title{font-size:clamp(1.7rem,1.3rem + 1.7vw,2.5rem)}
h3.title{font-size:clamp(1.3rem,1.15rem + .6vw,1.6rem);letter-spacing:-.015em;line-height:1.25}
h4.title{font-size:1.15rem;letter-spacing:-.01em;line-height:1.35}
h5.title,h6.title{font-size:1rem;letter-spacing:0;line-height:1.4}
h1.title + .prose{font-size:clamp(1.125rem,1.05rem + .45vw,1.375rem);line-height:1.55;color:var(--c-muted)}
.title.to-center,.prose.to-center,.form,.countdown.to-center{margin-inline:auto}
.title.to-right,.prose.to-right{margin-inline-start:auto}
.prose{max-width:42rem;text-wrap:pretty}
.even-1:has(> .column > .form):not(:has(> .column > .to-center)) > .column{max-width:34rem;margin-inline:auto}
.even-1 > .column > .title:not(.to-center,.to-right){max-width:22em}
.prose > :first-child{margin-top:0}
.prose > :last-child{margin-bottom:0}
.prose p{margin:0 0 1em}
.prose :is(h1,h2,h3,h4,h5,h6){margin:1.6em 0 .5em;line-height:1.25;letter-spacing:-.015em}
.prose :is(h1,h2,h3,h4,h5,h6):first-child{margin-top:0}
.prose blockquote{margin:1.25em 0;padding:.1em 0 .1em 1.25em;border-inline-start:3px solid var(--c-accent);color:var(--c-muted)}
.prose pre,.prose code,.prose kbd{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.9em}
.prose pre{padding:1em 1.2em;border-radius:var(--c-radius);background:var(--c-rule);white-space:pre-wrap}
.prose mark{background:#ffe98a;color:#16181d;padding:.05em .2em;border-radius:.2em}
.prose table{width:100%;border-collapse:collapse;font-size:.95em}
.prose :is(th,td){padding:.65em .8em;border-bottom:1px solid var(--c-rule);text-align:start;vertical-align:top}
.prose figure{margin:1.5em 0}
.prose figcaption,.prose small{color:var(--c-muted)}
.prose img{border-radius:var(--c-radius)}
ul.prose,ol.prose,.prose ul,.prose ol{padding-inline-start:1.4em}
ul.prose > li,.prose ul > li{list-style:none;position:relative}
ul.prose > li::before,.prose ul > li::before{content:"";position:absolute;inset-inline-start:-1.2em;top:.62em;width:.42em;
height:.42em;border-radius:50%;background:var(--c-link)}
.prose li + li{margin-top:.5em}
.prose li::marker{color:var(--c-link);font-weight:650}
.figure{line-height:0}
.figure a{display:inline-block}
.picture{border-radius:var(--c-radius)}
.large{min-height:3.4rem;padding:.9rem 2rem;font-size:1.0625rem}
.wide{width:100%}
.quiet{--accent:transparent;color:var(--c-text);border-color:var(--c-line);box-shadow:none}
.action{line-height:1}
.film{position:relative;aspect-ratio:16/9;overflow:hidden;border-radius:var(--c-radius);background:#12141a;
box-shadow:0 1.5rem 3rem -1.75rem #10142a59}
.film > :is(video,iframe){display:block;width:100%;height:100%;border:0;object-fit:contain}
.play{position:absolute;inset:0;display:grid;place-content:center;justify-items:center;gap:.9rem;color:#fff;text-decoration:none;
font-weight:600;text-shadow:0 1px 3px #000c}
.play::before{content:"";position:absolute;inset:0;background:linear-gradient(#0003,#0009)}
.play img{position:absolute;inset:0;width:100%;height:100%;object-fit:cover}
.play:focus-visible{outline-offset:-6px;outline-color:#fff}
.play-sign,.play-words{position:relative}
.play-sign{display:grid;place-items:center;width:4.75rem;height:4.75rem;border-radius:50%;background:#fff;
box-shadow:0 .5rem 1.5rem #0006;transition:transform .2s}
.play-sign::before{content:"";margin-inline-start:.35rem;border-style:solid;border-width:.8rem 0 .8rem 1.3rem;
border-color:transparent transparent transparent #16181d}
.play:hover .play-sign{transform:scale(1.06)}
.form{max-width:34rem;padding:clamp(1.35rem,1rem + 2vw,2.25rem);background:var(--c-surface);color:var(--c-text);text-align:start;
border:1px solid var(--c-rule);border-radius:calc(var(--c-radius) * 1.6);box-shadow:0 1.75rem 3.5rem -2.25rem #10142a66,0 1px 2px #10142a0d}
.column > .form:not(:first-child){margin-top:1.75rem}
.fields > :last-child{margin-bottom:1.5rem}
.closing > .q{margin-bottom:1.1rem;font-size:.9375rem;color:var(--c-muted)}
.alert{margin:0 0 1.25rem;padding:.8rem 1rem;border-radius:var(--c-radius);border:1px solid currentcolor;color:var(--c-fault);
background:color-mix(in srgb,var(--c-fault) 8%,var(--c-surface));font-weight:600;line-height:1.4}
.alert p{margin:0}
.alert:focus{outline:0}
.offer{display:flex;justify-content:space-between;align-items:baseline;gap:1rem;margin:0 0 1.5rem;padding-bottom:1.1rem;
border-bottom:1px solid var(--c-rule);font-size:1.1rem;font-weight:600;line-height:1.35}
.offer strong{font-size:1.5em;letter-spacing:-.02em;white-space:nowrap;font-variant-numeric:tabular-nums}
.progress{margin:0 0 1.5rem}
.progress p{margin:0 0 .5rem;font-size:.875rem;font-weight:600;color:var(--c-muted)}
.progress span{display:block;height:.35rem;border-radius:1rem;background:linear-gradient(90deg,var(--c-accent) var(--done,0%),var(--c-rule) 0)}
${Array.from({ length: 10 }, (_, index) => `.progress .at-${index + 1}{--done:${index + 1}0%}`).join('')}
.turns{display:flex;gap:.75rem;margin-top:.5rem}
.turns .q-button:not(.quiet){flex:1}
.turns + .closing:not([hidden]){margin-top:1rem}
.countdown .due{margin:0;font-weight:600}
.cells{display:inline-flex;gap:clamp(.5rem,2vw,1rem)}
.cell{display:grid;justify-items:center;gap:.15rem;min-width:clamp(4rem,18vw,5.5rem);padding:.85rem .5rem .7rem;
background:var(--c-surface);border:1px solid var(--c-rule);border-radius:var(--c-radius)}
.cell b{font-size:clamp(1.6rem,1.2rem + 2vw,2.4rem);line-height:1;font-variant-numeric:tabular-nums;letter-spacing:-.02em}
.cell span{font-size:.8125rem;line-height:1.4;color:var(--c-muted)}
.divider{height:0;border:0;border-top:1px solid var(--c-rule)}
.column > .divider{margin-block:2rem}
.menu ul{display:flex;flex-wrap:wrap;gap:.35rem clamp(1.1rem,3vw,2.25rem);margin:0;padding:0;list-style:none}
.menu.to-center ul{justify-content:center}
.menu a{display:block;padding:.4rem 0;color:inherit;text-decoration:none;font-size:1rem;font-weight:550}
.menu a:hover{text-decoration:underline}
@media (min-width:34rem){.even-4,.even-6{grid-template-columns:repeat(2,minmax(0,1fr))}}
@media (min-width:48rem){
.menu.to-right ul{justify-content:flex-end}
.row{align-items:center}
.row:has(> .column > :is(.title:first-child + .prose,h3,h4)):not(:has(.form,.figure,.film,.menu)){align-items:start}
.even-2{grid-template-columns:repeat(2,minmax(0,1fr))}
.even-3,.even-6{grid-template-columns:repeat(3,minmax(0,1fr))}
.twelve{grid-template-columns:repeat(12,minmax(0,1fr));column-gap:clamp(1.25rem,2.5vw,2rem)}
${Array.from({ length: 12 }, (_, index) => `.of-${index + 1}{grid-column:span ${index + 1}}`).join('')}
}
@media (min-width:60rem){.even-4{grid-template-columns:repeat(4,minmax(0,1fr))}.even-5{grid-template-columns:repeat(5,minmax(0,1fr))}
.even-6{grid-template-columns:repeat(6,minmax(0,1fr))}}
@media (prefers-reduced-motion:reduce){:root{scroll-behavior:auto}*,::before,::after{transition:none!important}}
@media print{.film,.form,.menu,.countdown{display:none}}
`
