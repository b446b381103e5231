/**
 * How questions, buttons and faults look. Colours are those of the page where it sets `--c-accent`, `--c-on-accent`,
 * `--c-text`, `--c-muted`, `--c-line`, `--c-surface`, `--c-fault` and `--c-radius`.
 */
export const controlCss = `
.q,.q-button{--accent:var(--c-accent,#3b4fd8);--on-accent:var(--c-on-accent,#fff);--text:var(--c-text,#1c2030);
--muted:var(--c-muted,#5d6478);--line:var(--c-line,#8d94a6);--surface:var(--c-surface,#fff);--fault:var(--c-fault,#b3261e);
--radius:var(--c-radius,.625rem);--tint:color-mix(in srgb,var(--accent) 9%,var(--surface))}
.q{border:0;margin:0 0 1.25rem;padding:0;min-width:0;color:var(--text);text-align:start}
.q-label{display:block;padding:0;margin:0 0 .5rem;font-weight:600;line-height:1.35;white-space:pre-line;overflow-wrap:anywhere}
.q-hint{font-weight:400;font-size:.875rem;color:var(--muted);white-space:normal;margin-inline-start:.35em}
.q-input{box-sizing:border-box;display:block;width:100%;min-height:3rem;padding:.7rem .9rem;font:inherit;font-size:max(1rem,1em);
line-height:1.4;color:var(--text);background-color:var(--surface);border:1px solid var(--line);border-radius:var(--radius);
transition:border-color .15s,box-shadow .15s}
.q-input::placeholder{color:var(--muted);opacity:.8}
textarea.q-input{resize:vertical;min-height:7rem}
select.q-input{appearance:none;padding-inline-end:2.75rem;cursor:pointer;background-repeat:no-repeat;
background-image:linear-gradient(45deg,#0000 50%,currentcolor 50%),linear-gradient(-45deg,#0000 50%,currentcolor 50%);
background-position:right 1.35rem center,right 1rem center;background-size:.36rem .36rem}
.q-input:hover{border-color:var(--text)}
.q-input:focus{outline:0;border-color:var(--accent);box-shadow:0 0 0 3px color-mix(in srgb,var(--accent) 28%,transparent)}
.q-options{display:grid;gap:.6rem}
.q-pair{grid-template-columns:repeat(2,minmax(0,1fr))}
.q-choice{position:relative;display:flex;align-items:center;gap:.75rem;min-height:3rem;padding:.65rem .9rem;box-sizing:border-box;
line-height:1.35;background:var(--surface);border:1px solid var(--line);border-radius:var(--radius);cursor:pointer;
transition:border-color .15s,background-color .15s,box-shadow .15s}
.q-choice:hover{border-color:var(--accent);background:var(--tint)}
.q-choice:has(:checked){border-color:var(--accent);background:var(--tint);box-shadow:inset 0 0 0 1px var(--accent)}
.q-choice:has(:focus-visible){outline:3px solid color-mix(in srgb,var(--accent) 45%,transparent);outline-offset:2px}
.q-choice input,.q-consent input{flex:none;width:1.2rem;height:1.2rem;margin:0;accent-color:var(--accent);cursor:pointer}
.q-choice input:focus-visible{outline:0}
.q-text{min-width:0;overflow-wrap:anywhere;white-space:pre-line}
.q-scale{display:grid;grid-template-columns:repeat(6,minmax(0,1fr));gap:.4rem}
.q-scale .q-choice{justify-content:center;padding:.5rem 0;font-variant-numeric:tabular-nums}
.q-scale input,.q-stars input{position:absolute;inset:0;width:100%;height:100%;opacity:0}
.q-ends{display:flex;justify-content:space-between;margin:.5rem 0 0;font-size:.875rem;color:var(--muted)}
.q-stars{display:inline-flex;gap:.25rem}
.q-stars .q-choice{border:0;background:none;box-shadow:none;padding:.15rem;min-height:0}
.q-star{font-size:2.5rem;line-height:1;color:var(--line);opacity:.55;transition:color .15s,opacity .15s,transform .15s}
.q-choice:has(:checked) .q-star,.q-choice:has(~ .q-choice :checked) .q-star,.q-stars:hover .q-choice:hover .q-star,
.q-stars:hover .q-choice:has(~ .q-choice:hover) .q-star{color:var(--accent);opacity:1}
.q-stars:hover .q-choice:hover ~ .q-choice .q-star{color:var(--line);opacity:.55}
.q-consent{display:flex;gap:.75rem;align-items:flex-start;line-height:1.45;cursor:pointer;padding:.15rem 0}
.q-consent input{margin-top:.15em}
.q-consent input:focus-visible{outline:3px solid color-mix(in srgb,var(--accent) 45%,transparent);outline-offset:2px}
.q-fault{display:flex;gap:.5rem;margin:.6rem 0 0;color:var(--fault);font-size:.9375rem;font-weight:500}
.q-fault::before{content:"!";flex:none;display:inline-grid;place-items:center;width:1.2rem;height:1.2rem;margin-top:.1em;
border-radius:50%;background:var(--fault);color:#fff;font-size:.8rem;font-weight:700}
.q-wrong .q-input,.q-wrong .q-choice{border-color:var(--fault)}
.q-wrong .q-stars .q-choice{border-color:transparent}
.q-button{box-sizing:border-box;display:inline-flex;align-items:center;justify-content:center;gap:.5rem;min-height:3rem;
padding:.7rem 1.6rem;font:inherit;font-weight:600;line-height:1.2;text-decoration:none;text-align:center;cursor:pointer;
color:var(--on-accent);background:var(--accent);border:1px solid transparent;border-radius:var(--radius);
box-shadow:0 1px 2px #10142a26;transition:filter .15s,transform .05s}
.q-button:hover{filter:brightness(1.08)}
.q-button:active{transform:translateY(1px)}
.q-button:focus-visible{outline:3px solid color-mix(in srgb,var(--accent) 45%,transparent);outline-offset:2px}
.q-sr,.q-trap{position:absolute;width:1px;height:1px;margin:-1px;padding:0;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.q-trap{left:-9999px}
@media (min-width:34rem){.q-scale{grid-template-columns:repeat(11,minmax(0,1fr))}}
@media (prefers-reduced-motion:reduce){.q-input,.q-choice,.q-star,.q-button{transition:none}}
@media (forced-colors:active){.q-choice:has(:checked){outline:3px solid Highlight}}
`
