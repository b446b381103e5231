// What depends on no database and keeps no state: threads that build pages load this file instead of the whole room.
export { type Asked, control, controlName, honeypot, honeypotName, type Shown } from './form-page/control.ts'
export { controlCss } from './form-page/control-css.ts'
