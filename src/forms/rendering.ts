// Rendering without a database or state. Worker threads import this file, because index.ts loads the whole module.
export { controlCss } from './page/html/assets.ts'
export { controlName, honeypotName, renderControl, renderHoneypot } from './page/html/control.ts'
export { passName } from './visitors/pass-name.ts'
