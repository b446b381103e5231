// Rendering without a database or state. Worker threads import this file, because index.ts loads the whole module.
export { controlCss } from './form-page/assets.ts'
export { controlName, honeypotName, renderControl, renderHoneypot } from './form-page/control.ts'
export { passName } from './pass-name.ts'
