import { controlCss } from './control-css.ts'

/** How the page of a form looks: one question in the middle, on a phone and on a desk. */
export const look = `
:root{color-scheme:light;--c-accent:#3b4fd8;--c-on-accent:#fff;--c-text:#171b2d;--c-muted:#596078;--c-line:#868da3;--c-surface:#fff;
--c-fault:#b3261e}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;min-height:100vh;min-height:100dvh;display:grid;grid-template-rows:auto 1fr;color:var(--c-text);
font:1.0625rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;
background:#f3f4fa radial-gradient(90rem 45rem at 85% -15%,#dfe3ff 0,#f3f4fa00 65%) no-repeat}
.bar{appearance:none;display:block;position:fixed;inset:0 0 auto;width:100%;height:.3rem;border:0;background:#d9dcec}
.bar::-webkit-progress-bar{background:#d9dcec}
.bar::-webkit-progress-value{background:var(--c-accent);border-radius:0 1rem 1rem 0}
.bar::-moz-progress-bar{background:var(--c-accent)}
header{padding:1.75rem 1.25rem 0;max-width:48rem;width:100%;margin:0 auto}
h1{margin:0;font-size:1rem;font-weight:600;color:var(--c-muted);overflow-wrap:anywhere}
main{grid-row:2;width:100%;max-width:48rem;margin:0 auto;padding:1.25rem 1.25rem 4.5rem;display:grid;align-content:center}
.card{background:var(--c-surface);border:1px solid #e3e5f0;border-radius:1.1rem;padding:clamp(1.5rem,5vw,3rem);
box-shadow:0 1px 2px #171b2d0a,0 12px 40px #171b2d14}
.step{margin:0 0 .6rem;font-size:.9375rem;font-weight:600;color:var(--c-accent)}
.step small{font-size:1em;font-weight:400;color:var(--c-muted)}
.card .q{margin:0 0 1.75rem}
.card .q-label{font-size:clamp(1.3rem,1.1rem + 1.1vw,1.75rem);font-weight:650;line-height:1.28;letter-spacing:-.012em;margin:0 0 1.25rem}
.long .q-label{font-size:1.125rem;font-weight:400;line-height:1.55;letter-spacing:0}
.card .q-hint{display:block;font-size:.9375rem;letter-spacing:0;margin:.35rem 0 0}
.card .q-input{font-size:1.125rem;min-height:3.4rem}
.card .q-choice{min-height:3.4rem}
.card .q-stars .q-choice{min-height:0}
.card .q-stars .q-star{font-size:clamp(2.4rem,9vw,3.2rem)}
.card .q-consent{font-size:1.0625rem;padding:1rem;border:1px solid var(--c-line);border-radius:.625rem}
.card .q-consent:has(:checked){border-color:var(--c-accent);background:#f1f2fd}
.q-wrong .q-consent{border-color:var(--c-fault)}
.go{display:flex;flex-wrap:wrap;align-items:center;gap:.75rem 1.1rem}
.go .q-button{min-height:3.25rem;padding-inline:2rem}
.hint{display:none;font-size:.9375rem;color:var(--c-muted)}
.hint kbd{font:inherit;font-weight:600;color:var(--c-text)}
.back{display:inline-flex;align-items:center;gap:.4rem;min-height:2.75rem;padding:0 .9rem;margin-inline:auto -.9rem;color:var(--c-muted);
font-weight:600;text-decoration:none;border-radius:.625rem}
.back:hover{color:var(--c-text);background:#171b2d0f}
.back:focus-visible{outline:3px solid #3b4fd873}
.end{text-align:center}
.tick{display:grid;place-items:center;width:4.5rem;height:4.5rem;margin:0 auto 1.5rem;border-radius:50%;background:#e4f5ea}
.tick::after{content:"";width:1.9rem;height:1rem;margin-top:-.5rem;border:solid #177a3f;border-width:0 0 .32rem .32rem;border-radius:.1rem;
transform:rotate(-45deg)}
.end h2{margin:0 0 .75rem;font-size:clamp(1.6rem,1.2rem + 1.8vw,2.25rem);line-height:1.2;letter-spacing:-.015em;overflow-wrap:anywhere}
.end p{margin:0 auto .85rem;max-width:36rem;color:#3c4258;white-space:pre-line;overflow-wrap:anywhere}
.end h1{margin:0 0 .5rem;font-size:1.5rem;color:var(--c-text)}
.quiet{margin-top:1rem;font:inherit;font-weight:600;color:var(--c-accent);background:none;border:0;min-height:2.75rem;padding:.5rem 1rem;border-radius:.625rem;
cursor:pointer}
.quiet:hover{background:#3b4fd814}
.quiet:focus-visible{outline:3px solid #3b4fd873}
@media (max-width:34rem){main{align-content:start;padding:1rem .75rem 2rem}header{padding:1.5rem 1.25rem 0}.go .q-button{flex:1 0 100%}.back{margin-inline:auto}}
@media (hover:hover) and (pointer:fine){.keys .hint{display:inline}
.keys .q-options{counter-reset:key}
.keys .q-options .q-choice::after{counter-increment:key;content:counter(key,upper-alpha)/"";margin-inline-start:auto;flex:none;display:grid;
place-items:center;width:1.6rem;height:1.6rem;border:1px solid #c9cde0;border-radius:.35rem;font-size:.8125rem;font-weight:600;
color:var(--c-muted);background:#fff}
.keys .q-options .q-choice:nth-child(n+27)::after{content:none}
.keys .q-pair .q-choice:first-child::after{content:"Y"/""}
.keys .q-pair .q-choice:last-child::after{content:"N"/""}}
@media (prefers-reduced-motion:no-preference){.card{animation:rise .22s ease-out}@keyframes rise{from{transform:translateY(.6rem)}}}
${controlCss}`
